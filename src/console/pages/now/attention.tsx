/** What needs a person: requests in the inbox, and work that died. */
import type { Status } from '../../../client/client.ts';
import { hrefTo } from '../../model/place.ts';
import { Time } from '../../ui/time.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { S } from '../../words/strings.ts';

export function Attention({ status }: { readonly status: Status }) {
  const { asks, dead_letters: dead } = status;
  return (
    <section class="panel wide" aria-labelledby="attention">
      <h2 id="attention">{S.now.needsYou}</h2>
      {asks.waiting === 0 && dead.length === 0 && <p class="faint">{S.now.nothingNeedsYou}</p>}
      <ul class="plain rows">
        {asks.first.map((ask) => (
          <li key={ask.ask_id}>
            <span class="state state-waiting">{ask.subject}</span>
            <a class="grow clip" href={hrefTo('inbox', [], { ask: ask.ask_id })}>
              <VisibleText text={ask.shown} />
            </a>
            <span class="faint">{ask.faculty}</span>
            <Time at={ask.asked_at} />
          </li>
        ))}
        {dead.map((item) => (
          <li key={item.work_item_id}>
            <span class="state state-dead">{S.state.dead}</span>
            <a class="grow clip" href={hrefTo('work', [item.work_item_id])}>
              {item.description} <span class="faint">{item.reason}</span>
            </a>
            <span class="faint">{item.faculty}</span>
            <Time at={item.resolved_at} />
          </li>
        ))}
      </ul>
    </section>
  );
}
