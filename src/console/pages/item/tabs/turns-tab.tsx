/** All turns in a list, and beside it the one that is chosen. */
import type { ReadonlySignal } from '@preact/signals';
import { hrefTo, place } from '../../../model/place.ts';
import { duration } from '../../../ui/duration.ts';
import { usd } from '../../../ui/money.ts';
import { VirtualList } from '../../../ui/virtual-list.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { S } from '../../../words/strings.ts';
import type { Live } from '../record/live.ts';
import type { TurnRow } from '../record/rows.ts';
import type { ItemRecord } from '../record/use-record.ts';
import { TurnPanel } from './turn-panel.tsx';

const ROW_PX = 34;

interface TurnsTabProps {
  readonly id: string;
  readonly record: ItemRecord;
  readonly live: ReadonlySignal<Live>;
}

export function TurnsTab({ id, record, live }: TurnsTabProps) {
  const { turns, loading } = record;
  const key = place.value.query.get('turn');
  const chosen = turns.findIndex((turn) => turn.key === key);
  if (turns.length === 0) return <p class="faint">{loading ? `${S.common.loading} …` : S.item.noTurns}</p>;
  return (
    <div class={chosen < 0 ? '' : 'item-beside'}>
      <VirtualList
        label={S.item.tabs.turns}
        count={turns.length}
        rowPx={ROW_PX}
        chosen={chosen}
        follows
        keyOf={(index) => turns[index]!.key}
        row={(index) => <TurnLine id={id} turn={turns[index]!} isChosen={index === chosen} />}
      />
      {chosen >= 0 && <TurnPanel key={key} id={id} turn={turns[chosen]!} record={record} live={live} />}
    </div>
  );
}

function TurnLine({ id, turn, isChosen }: { readonly id: string; readonly turn: TurnRow; readonly isChosen: boolean }) {
  const { tokens, summary, callCount: calls } = turn;
  return (
    <a
      class="list-line"
      href={hrefTo('work', [id], { tab: 'turns', turn: turn.key })}
      aria-current={isChosen ? 'true' : undefined}
    >
      <span class="number line-turn">{turn.key}</span>
      <span class="clip grow">
        {summary !== '' ? (
          <VisibleText text={summary} kind="text" />
        ) : (
          <span class="faint">{turn.stop ?? (turn.lost ? S.item.noAnswer : S.item.asking)}</span>
        )}
      </span>
      <span class="number faint line-wide">{calls > 0 && S.item.callCount(calls)}</span>
      <span class="number faint line-wide">{tokens !== null && S.item.tokens(tokens.input, tokens.output)}</span>
      <span class="number">{turn.endMs !== null && usd(turn.costUsd)}</span>
      <span class="number faint line-time">{turn.endMs === null ? '…' : duration(turn.endMs - turn.begunMs)}</span>
    </a>
  );
}
