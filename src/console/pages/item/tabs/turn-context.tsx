/** What the engine put into the context right before a turn; what came before that, the model knew already. */
import type { ContextMessage } from '../../../../client/client.ts';
import { api } from '../../../model/api.ts';
import { hrefTo } from '../../../model/place.ts';
import { useLoaded } from '../../../model/use-loaded.ts';
import { Problem } from '../../../ui/problem.tsx';
import { Text } from '../../../ui/text.tsx';
import { S } from '../../../words/strings.ts';
import type { TurnRow } from '../record/rows.ts';
import type { ItemRecord } from '../record/use-record.ts';

interface TurnContextProps {
  readonly id: string;
  readonly turn: TurnRow;
  readonly record: ItemRecord;
}

const PAGE = 200;
/** Of an item: what is read of the messages of its engine. */
const MOST_PAGES = 20;

export function TurnContext({ id, turn, record }: TurnContextProps) {
  const read = useLoaded((signal) => readContext(id, signal), [id, record.turns.length]);
  const focus = record.foci.find(({ number }) => number === turn.focus);
  const added = (read.value ?? []).filter(
    ({ focus_id, after_turn }) => focus_id === focus?.id && after_turn === turn.turn - 1,
  );
  const before = record.turns.find(({ key }) => key === `${turn.focus}.${turn.turn - 1}`);
  const results = before?.blocks.filter(({ type }) => type === 'tool_call').length ?? 0;
  if (read.problem !== null) return <Problem text={read.problem} retry={read.reload} />;
  if (added.length === 0 && results === 0) return null;
  return (
    <section class="turn-context">
      <h3>{S.item.newInContext}</h3>
      {results > 0 && before !== undefined && (
        <p>
          <a href={hrefTo('work', [id], { tab: 'turns', turn: before.key })}>{S.item.resultsOf(results, before.key)}</a>
        </p>
      )}
      {added.map((message) => (
        <details key={message.seq} class="context">
          <summary>
            {message.kind} <span class="faint">{message.tokens !== null && S.item.tokenCount(message.tokens)}</span>
          </summary>
          <Text text={message.content} />
        </details>
      ))}
    </section>
  );
}

async function readContext(id: string, signal: AbortSignal): Promise<readonly ContextMessage[]> {
  const all: ContextMessage[] = [];
  let after: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const { items, next } = await api.record.listContext(id, { after, limit: PAGE }, { signal }).page();
    all.push(...items);
    if (next === null) break;
    after = next;
  }
  return all;
}
