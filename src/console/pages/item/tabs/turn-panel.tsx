/** One turn: what the model answered, what it cost, and what its calls did. */
import type { ReadonlySignal } from '@preact/signals';
import { api } from '../../../model/api.ts';
import { hrefTo } from '../../../model/place.ts';
import { useLoaded } from '../../../model/use-loaded.ts';
import { duration } from '../../../ui/duration.ts';
import { Json } from '../../../ui/json.tsx';
import { usd } from '../../../ui/money.ts';
import { Prose } from '../../../ui/prose.tsx';
import { Shown } from '../../../ui/shown.tsx';
import { Time } from '../../../ui/time.tsx';
import { S } from '../../../words/strings.ts';
import type { Live } from '../record/live.ts';
import { type Block, blocksOf, type CallRow, type TurnRow } from '../record/rows.ts';
import type { ItemRecord } from '../record/use-record.ts';
import { CallLine } from './call-line.tsx';
import { Thought } from './thought.tsx';
import { TurnRequest } from './turn-request.tsx';

interface TurnPanelProps {
  readonly id: string;
  readonly turn: TurnRow;
  readonly record: ItemRecord;
  readonly live: ReadonlySignal<Live>;
}

export function TurnPanel({ id, turn, record, live }: TurnPanelProps) {
  return (
    <section class="panel item-panel" aria-label={S.item.turnTitle(turn.key)}>
      <div class="panel-head">
        <h2>{S.item.turnTitle(turn.key)}</h2>
        <Steps id={id} turn={turn} record={record} />
      </div>
      <TurnFacts turn={turn} />
      <TurnRequest key={turn.key} id={id} turn={turn} />
      <h3>{S.item.answer}</h3>
      <Answer key={turn.key} id={id} turn={turn} record={record} live={live} />
    </section>
  );
}

function Steps({ id, turn, record: { turns } }: Omit<TurnPanelProps, 'live'>) {
  const at = turns.indexOf(turn);
  const [before, after] = [turns[at - 1], turns[at + 1]];
  return (
    <span>
      {before && (
        <a class="step" aria-label={S.item.before} href={hrefTo('work', [id], { tab: 'turns', turn: before.key })}>
          ↑
        </a>
      )}
      {after && (
        <a class="step" aria-label={S.item.next} href={hrefTo('work', [id], { tab: 'turns', turn: after.key })}>
          ↓
        </a>
      )}
      <a class="step" aria-label={S.item.close} href={hrefTo('work', [id], { tab: 'turns' })}>
        ×
      </a>
    </span>
  );
}

function TurnFacts({ turn }: { readonly turn: TurnRow }) {
  const { tokens } = turn;
  const { turnFacts: words } = S.item;
  const rows: readonly (readonly [string, preact.ComponentChildren])[] = [
    [words.model, turn.model],
    [words.begun, <Time key="begun" at={new Date(turn.begunMs).toISOString()} />],
    [words.lasted, turn.endMs === null ? '…' : duration(turn.endMs - turn.begunMs)],
    [words.cost, turn.endMs === null ? '…' : usd(turn.costUsd)],
    [words.input, tokens?.input.toLocaleString('en')],
    [words.cacheShare, tokens && tokens.input > 0 ? S.item.percent(tokens.cacheRead / tokens.input) : null],
    [words.cacheWrite, tokens && tokens.cacheWrite > 0 ? tokens.cacheWrite.toLocaleString('en') : null],
    [words.output, tokens?.output.toLocaleString('en')],
    [words.reasoning, tokens && tokens.reasoning > 0 ? tokens.reasoning.toLocaleString('en') : null],
    [words.stop, turn.stop],
  ];
  return (
    <dl class="figures">
      {rows
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** Its blocks in order, each call with its result. */
export function Answer({ id, turn, record, live }: TurnPanelProps) {
  if (turn.blocks !== null) return <Blocks id={id} blocks={turn.blocks} turn={turn} record={record} live={live} />;
  return <ReadAnswer id={id} turn={turn} record={record} live={live} />;
}

/** Of a long item, the answer is read when it is looked at. */
function ReadAnswer({ id, turn, ...others }: TurnPanelProps) {
  const read = useLoaded(
    (signal) => api.record.showTurn(id, turn.turn, { focus_id: turn.focusId }, { signal }),
    [id, turn.key, turn.endMs],
  );
  return (
    <Shown of={read}>{({ response }) => <Blocks id={id} blocks={blocksOf(response)} turn={turn} {...others} />}</Shown>
  );
}

function Blocks({ id, blocks, turn, record, live }: TurnPanelProps & { readonly blocks: readonly Block[] }) {
  const { answer, outputs } = live.value;
  const calls = record.callsOf.get(turn.key) ?? [];
  const shown = new Set(blocks.map((block) => (block.type === 'tool_call' ? block.id : '')));
  const line = (call: CallRow) => <CallLine key={call.key} id={id} call={call} output={outputs.get(call.id) ?? ''} />;
  return (
    <>
      {turn.endMs === null && answer !== null && `${answer.focus}.${answer.turn}` === turn.key && (
        <Prose text={answer.text} />
      )}
      {blocks.map((block, index) => (
        <BlockOf key={index} block={block}>
          {block.type === 'tool_call' && calls.filter((call) => call.id === block.id).map(line)}
        </BlockOf>
      ))}
      {calls.filter((call) => !shown.has(call.id)).map(line)}
    </>
  );
}

function BlockOf({ block, children }: { readonly block: Block; readonly children: preact.ComponentChildren }) {
  switch (block.type) {
    case 'thinking':
      return <Thought text={block.text} />;
    case 'text':
      return <Prose text={block.text} />;
    case 'tool_call':
      return <>{children}</>;
    case 'other':
      return <Json value={block.value} label={S.item.otherBlock} />;
  }
}
