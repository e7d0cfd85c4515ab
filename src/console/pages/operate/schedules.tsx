/** Schedules with their next, last and missed runs; paused, resumed, run and removed here. */
import { useState } from 'preact/hooks';
import type { Schedule } from '../../../client/client.ts';
import { api } from '../../model/api.ts';
import { changeQuery, hrefTo, place } from '../../model/place.ts';
import { mayOperate } from '../../model/session-state.ts';
import { useLoaded } from '../../model/use-loaded.ts';
import { Action } from '../../ui/action.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Shown } from '../../ui/shown.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { S } from '../../words/strings.ts';

const REFRESH_MS = 15_000;
const RUNS = 50;

export function Schedules() {
  const read = useLoaded((signal) => api.schedules.list({ signal }), [], { everyMs: REFRESH_MS });
  const [removes, setRemoves] = useState<string | null>(null);
  const named = place.value.query.get('schedule');
  const { columns } = S.operate.schedules;
  return (
    <>
      <Shown of={read}>
        {({ items }) => (
          <Table
            columns={[columns.name, columns.when, columns.next, columns.last, columns.state, columns.acts]}
            none={S.operate.schedules.none}
            count={items.length}
          >
            {items.map((schedule) => (
              <Row
                key={schedule.name}
                schedule={schedule}
                isShown={schedule.name === named}
                reload={read.reload}
                onRemove={() => setRemoves(schedule.name)}
              />
            ))}
          </Table>
        )}
      </Shown>
      {named !== null && <Runs key={named} name={named} />}
      {removes !== null && (
        <Confirm
          title={S.operate.schedules.removeTitle(removes)}
          act={async () => {
            await api.schedules.remove(removes);
            return S.operate.schedules.removed;
          }}
          label={S.operate.remove}
          kind="danger"
          onClose={() => {
            setRemoves(null);
            read.reload();
          }}
        >
          <p class="faint">{S.operate.schedules.removeHint}</p>
        </Confirm>
      )}
    </>
  );
}

interface RowProps {
  readonly schedule: Schedule;
  readonly isShown: boolean;
  readonly reload: () => void;
  readonly onRemove: () => void;
}

function Row({ schedule, isShown, reload, onRemove }: RowProps) {
  const { name, cron, time_zone, faculty, overlap, paused, problem, next_at, last_at, open_item } = schedule;
  return (
    <tr>
      <td class="operate-wide">
        <button
          type="button"
          class="quiet"
          aria-expanded={isShown}
          onClick={() => changeQuery({ schedule: isShown ? null : name })}
        >
          <VisibleText text={name} kind="text" most={100} />
        </button>
        <div class="faint">
          <VisibleText text={faculty} kind="text" most={100} />
          {overlap !== 'allow' && ` · ${S.operate.schedules.overlap[overlap]}`}
        </div>
      </td>
      <td>
        <code>{cron}</code> <span class="faint">{time_zone}</span>
      </td>
      <td>{paused ? '' : <Time at={next_at} none={S.common.never} />}</td>
      <td>
        <Time at={last_at} none={S.common.never} />
        {open_item !== null && (
          <>
            {' '}
            <a href={hrefTo('work', [open_item])}>{S.operate.schedules.open}</a>
          </>
        )}
      </td>
      <td class={problem === null ? undefined : 'state-dead'}>
        {problem === null ? S.operate.schedules.is(paused) : <VisibleText text={problem} kind="text" />}
      </td>
      <td class="operate-acts">
        {mayOperate() && (
          <>
            <Action
              kind="quiet"
              act={() => api.schedules.run(name)}
              done={S.operate.schedules.ran(name)}
              after={reload}
            >
              {S.operate.schedules.run}
            </Action>
            <Action
              kind="quiet"
              act={() => (paused ? api.schedules.resume(name) : api.schedules.pause(name))}
              after={reload}
            >
              {paused ? S.now.resume : S.agents.pause}
            </Action>
            <button type="button" class="quiet" onClick={onRemove}>
              {S.operate.remove} …
            </button>
          </>
        )}
      </td>
    </tr>
  );
}

function Runs({ name }: { readonly name: string }) {
  const runs = useLoaded((signal) => api.schedules.listRuns(name, { limit: RUNS }, { signal }), [name]);
  const { columns } = S.operate.schedules;
  return (
    <section class="page-part" aria-labelledby="runs">
      <h2 id="runs">{S.operate.schedules.runs(name)}</h2>
      <Shown of={runs}>
        {({ items }) => (
          <Table
            columns={[columns.due, columns.result, { number: columns.count }, columns.work]}
            none={S.operate.schedules.noRuns}
            count={items.length}
          >
            {items.map(({ due_at, result, runs: count, work_item_id }) => (
              <tr key={`${due_at} ${result}`}>
                <td>
                  <Time at={due_at} />
                </td>
                <td class={result === 'missed' ? 'state-waiting' : undefined}>
                  {S.operate.schedules.results[result as keyof typeof S.operate.schedules.results] ?? result}
                </td>
                <td class="number">{count.toLocaleString('en')}</td>
                <td>
                  {work_item_id !== null && <a href={hrefTo('work', [work_item_id])}>{S.operate.schedules.item}</a>}
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Shown>
    </section>
  );
}
