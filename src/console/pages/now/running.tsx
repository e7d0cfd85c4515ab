/** A line for each focus: where it is, and what it has cost. */
import type { Status } from '../../../client/client.ts';
import { hrefTo } from '../../model/place.ts';
import { usd } from '../../ui/money.ts';
import { Time } from '../../ui/time.tsx';
import { S } from '../../words/strings.ts';

export function Running({ foci }: { readonly foci: Status['foci'] }) {
  return (
    <section class="panel wide" aria-labelledby="running">
      <h2 id="running">
        {S.now.running} <span class="faint">{foci.length > 0 && foci.length}</span>
      </h2>
      {foci.length === 0 && <p class="faint">{S.now.nothingRuns}</p>}
      <ul class="plain rows">
        {foci.map((focus) => (
          <li key={focus.work_item_id}>
            <span class="state state-running">{focus.phase ?? S.state[focus.state]}</span>
            <a class="grow clip" href={hrefTo('work', [focus.work_item_id])}>
              {focus.description} {focus.plan !== null && <span class="faint">{focus.plan}</span>}
            </a>
            <span class="faint">{focus.faculty}</span>
            <span class="number">{focus.turn !== null && S.now.turn(focus.turn)}</span>
            <span class="number">{usd(focus.cost_usd)}</span>
            <Time at={focus.started_at} />
          </li>
        ))}
      </ul>
    </section>
  );
}
