/** A bar for each focus: how far it is, what it does, and what it has cost. The bars keep their order while somebody is there. */
import type { Status } from '../../../client/client.ts';
import { hrefTo } from '../../model/place.ts';
import { clock } from '../../ui/clock.ts';
import { duration } from '../../ui/duration.ts';
import { usd } from '../../ui/money.ts';
import { useSteady } from '../../ui/use-steady.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { S } from '../../words/strings.ts';
import { inOrder, stepsOf } from './steps.ts';

type Focus = Status['foci'][number];

const MOST_CHARS = 300;

export function Running({ foci }: { readonly foci: Status['foci'] }) {
  const { rows, hold } = useSteady(inOrder(foci), ({ work_item_id }) => work_item_id);
  const now = new Set(foci.map(({ work_item_id }) => work_item_id));
  return (
    <section class="panel wide" aria-labelledby="running">
      <h2 id="running">
        {S.now.running} <span class="faint">{foci.length > 0 && foci.length}</span>
      </h2>
      {rows.length === 0 && <p class="faint">{S.now.nothingRuns}</p>}
      <ul class="plain rows" {...hold}>
        {rows.map((focus) => (
          <FocusBar key={focus.work_item_id} focus={focus} isOver={!now.has(focus.work_item_id)} />
        ))}
      </ul>
    </section>
  );
}

function FocusBar({ focus, isOver }: { readonly focus: Focus; readonly isOver: boolean }) {
  const { work_item_id: id, description, plan, turn, phase, started_at: started } = focus;
  const lasted = started === null ? null : Math.max(0, clock.value - Date.parse(started));
  const what = isOver ? S.now.over : S.now.doing(phase ?? '', turn);
  return (
    <li class={isOver ? 'focus focus-over' : 'focus'}>
      <div class="focus-line">
        <a class="grow clip" href={hrefTo('work', [id])}>
          <VisibleText text={description.trim() === '' ? id : description.slice(0, MOST_CHARS)} kind="text" />
        </a>
        <span class="faint wide-only">{focus.faculty}</span>
        <span class="number">{usd(focus.cost_usd)}</span>
        <span class="number focus-lasted">{lasted !== null && duration(lasted)}</span>
      </div>
      <div class="focus-line">
        <span class="focus-steps" aria-hidden="true">
          {stepsOf(phase).map(({ name, is }) => (
            <span key={name} class={`focus-step focus-${isOver ? 'done' : is}`} />
          ))}
        </span>
        <span class="grow clip faint">
          {what}
          {plan !== null && !isOver && (
            <>
              {' · '}
              <VisibleText text={plan.slice(0, MOST_CHARS)} kind="text" />
            </>
          )}
        </span>
        <span class="faint wide-only">{focus.host}</span>
      </div>
    </li>
  );
}
