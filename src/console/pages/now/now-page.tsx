/** What runs, what needs a person, and what it has cost today. */
import { api } from '../../model/api.ts';
import { useLiveStates } from '../../model/live.ts';
import { hrefTo } from '../../model/place.ts';
import { seesAll } from '../../model/session-state.ts';
import { useLoaded } from '../../model/use-loaded.ts';
import { Shown } from '../../ui/shown.tsx';
import { S } from '../../words/strings.ts';
import { Attention } from './attention.tsx';
import { Daemons } from './daemons.tsx';
import { LastDay } from './last-day.tsx';
import { Limits } from './limits.tsx';
import { Problems } from './problems.tsx';
import { Queue } from './queue.tsx';
import { Running } from './running.tsx';
import { SpendToday } from './spend-today.tsx';
import './now.css';

/** Turns and costs change without a change of state. */
const REFRESH_MS = 5000;

export default function NowPage() {
  useLiveStates();
  return (
    <>
      <h1>{S.now.title}</h1>
      {seesAll() ? <All /> : <Own />}
    </>
  );
}

/** The status is for those who see all work. */
function Own() {
  return (
    <>
      <p>
        {S.now.onlyOwn} <a href={hrefTo('work')}>{S.now.ownWork}</a>
      </p>
      <div class="panels">
        <LastDay />
      </div>
    </>
  );
}

function All() {
  const status = useLoaded((signal) => api.operate.status({ signal }), [], { everyMs: REFRESH_MS, live: true });
  return (
    <Shown of={status}>
      {(now) => (
        <div class="panels">
          <Attention status={now} />
          <Problems daemons={now.daemons} />
          <Running foci={now.foci} />
          <LastDay />
          <Queue queue={now.queue} pauses={now.pauses} reload={status.reload} />
          <Daemons daemons={now.daemons} foci={now.foci} />
          <SpendToday rows={now.spend_today} />
          <Limits budgets={now.budgets} />
        </div>
      )}
    </Shown>
  );
}
