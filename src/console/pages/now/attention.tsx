/** What needs a person: requests in the inbox, and work that died. */
import type { Status } from '../../../client/client.ts';
import { hrefTo } from '../../model/place.ts';
import { Time } from '../../ui/time.tsx';
import { useSteady } from '../../ui/use-steady.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { S } from '../../words/strings.ts';

const MOST_DEAD = 5;
const MOST_CHARS = 300;

export function Attention({ status }: { readonly status: Status }) {
  const { asks, dead_letters: dead, states, capped } = status;
  const shownAsks = useSteady(asks.first, ({ ask_id }) => ask_id);
  const shownDead = useSteady(dead.slice(0, MOST_DEAD), ({ work_item_id }) => work_item_id);
  return (
    <section class="panel wide" aria-labelledby="attention">
      <h2 id="attention">{S.now.needsYou}</h2>
      {asks.waiting === 0 && dead.length === 0 && <p class="faint">{S.now.nothingNeedsYou}</p>}
      <ul class="plain rows" {...shownAsks.hold}>
        {shownAsks.rows.map((ask) => (
          <li key={ask.ask_id}>
            <span class="state state-waiting">{ask.subject}</span>
            <a class="grow clip" href={hrefTo('inbox', [], { ask: ask.ask_id })}>
              <VisibleText text={ask.shown.slice(0, MOST_CHARS)} />
            </a>
            <span class="faint">{ask.faculty}</span>
            <Time at={ask.asked_at} />
          </li>
        ))}
      </ul>
      {asks.waiting > asks.first.length && (
        <p>
          <a href={hrefTo('inbox')}>{S.now.allWaiting(asks.waiting)}</a>
        </p>
      )}
      <ul class="plain rows" {...shownDead.hold}>
        {shownDead.rows.map((item) => (
          <li key={item.work_item_id}>
            <span class="state state-dead">{S.state.dead}</span>
            <span class="grow clip">
              <a href={hrefTo('work', [item.work_item_id])}>
                <VisibleText
                  text={item.description.trim() === '' ? item.work_item_id : item.description.slice(0, MOST_CHARS)}
                  kind="text"
                />
              </a>{' '}
              <span class="faint">
                <VisibleText text={item.reason.slice(0, MOST_CHARS)} kind="text" />
              </span>
            </span>
            <span class="faint">{item.faculty}</span>
            <Time at={item.resolved_at} />
          </li>
        ))}
      </ul>
      {dead.length > MOST_DEAD && (
        <p>
          <a href={hrefTo('work', [], { state: 'dead', sort: 'ended' })}>
            {S.now.allDead(states.dead, capped.includes('dead'))}
          </a>
        </p>
      )}
    </section>
  );
}
