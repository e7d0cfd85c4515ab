/**
 * The order of a history, with the answers before in its conversation. Pure: the same rows give the same bytes.
 *
 * Each focus of a chain is an era: the messages with which it began, its turns, and its stubs in their places. When its answer has ended, what it
 * still had verbatim is closed: if it used tools, only what the agent and people said stays; if not, nothing changes. So a request is that of the
 * answer before, byte for byte, up to the block that was closed by its end.
 */
import type { ContentBlock } from '../../llm/client.ts';
import type { EngineMessage } from '../../store/transcript/messages.ts';
import type { Transcript } from '../../store/transcript/transcript.ts';
import type { RecordedTurn } from '../../store/transcript/turns.ts';
import { type Fold, isFold, liveFolds, outlivesItsBlock } from './context-folds.ts';

/** A part of a history. `saidOnly`: of the turn, only its words are rendered. */
export type Piece = { readonly message: EngineMessage } | { readonly turn: RecordedTurn; readonly saidOnly: boolean };

/** What one focus has recorded. */
interface Era {
  /** Of a focus whose answer has ended. */
  readonly closed: boolean;
  /** The number of turns before it. */
  readonly start: number;
  readonly turns: readonly RecordedTurn[];
  readonly messages: readonly EngineMessage[];
}

/** The parts of a history in the order in which they are rendered; what was folded is left out. */
export function pieces(transcript: Transcript): Piece[] {
  const folds = liveFolds(transcript);
  const eras = erasOf(transcript);
  return eras.flatMap((era, index) => piecesOf(era, index === 0, folds));
}

/** The turns that an ended answer has verbatim at its end, and that are closed when the next one begins; of the newest such answer. */
export function closedTurns(transcript: Transcript): readonly RecordedTurn[] {
  const era = erasOf(transcript).findLast(({ closed }) => closed);
  return era === undefined ? [] : openTurns(era, liveFolds(transcript));
}

function erasOf({ turns, messages }: Transcript): Era[] {
  const keys = [...new Set([...messages.map(({ era }) => era), ...turns.map(({ era }) => era)])];
  const order = keys.toSorted((one, other) => (one ?? Infinity) - (other ?? Infinity));
  let start = 0;
  return order.map((key) => {
    const own = order.length === 1 ? turns : turns.filter(({ era }) => era === key);
    const said = order.length === 1 ? messages : messages.filter(({ era }) => era === key);
    const era = { closed: key !== undefined, start, turns: own, messages: said };
    start = own.at(-1)?.turn ?? start;
    return era;
  });
}

function openTurns({ start, turns, messages }: Era, folds: readonly Fold[]): readonly RecordedTurn[] {
  const kept = Math.max(start + 1, ...folds.filter(foldsIn(messages)).map(({ keepsFrom }) => keepsFrom));
  return turns.filter(({ turn }) => turn >= kept);
}

/** The folds that concern an era: its own, and a summary of the whole. */
function foldsIn(messages: readonly EngineMessage[]): (fold: Fold) => boolean {
  return (fold) => fold.kind === 'summary' || messages.includes(fold);
}

function piecesOf(era: Era, first: boolean, folds: readonly Fold[]): Piece[] {
  const { closed, start, turns, messages } = era;
  const summary = folds.find(({ kind }) => kind === 'summary');
  const mine = folds.filter(foldsIn(messages));
  const open = openTurns(era, folds);
  const kept = open[0]?.turn ?? Infinity;
  const saidOnly = closed && hasTraffic(open);
  const after = Map.groupBy(
    messages.filter((message) => !isFold(message)),
    ({ afterTurn }) => afterTurn,
  );

  // What a summary stands for ends before the first turn that it keeps; the answer that was under way then keeps its question.
  const told = first || summary === undefined || messages.includes(summary) || start + 1 >= summary.keepsFrom;
  const opening = after.get(start) ?? [];
  const begun = told ? opening : opening.filter(staysForGood);
  const inFront = first ? [] : mine.filter(({ keepsFrom }) => keepsFrom === start + 1);
  return [
    ...asMessages(inFront),
    ...asMessages(begun),
    ...turns.flatMap((turn): Piece[] => {
      const stubs = mine.filter((fold) => fold.keepsFrom === turn.turn && !inFront.includes(fold));
      const verbatim = turn.turn >= kept;
      const said = after.get(turn.turn) ?? [];
      return [
        ...asMessages(stubs),
        ...(verbatim ? [{ turn, saidOnly }] : []),
        ...asMessages(verbatim && !saidOnly ? said : said.filter(outlivesItsBlock)),
      ];
    }),
  ];
}

function asMessages(these: readonly EngineMessage[] = []): Piece[] {
  return these.map((message) => ({ message }));
}

/** What was said to a focus while it worked stays whatever is summarised; the questions and files of earlier answers do not. */
function staysForGood(message: EngineMessage): boolean {
  return outlivesItsBlock(message) && message.kind !== 'attachment';
}

/** True if there is more in the turns than words and the thinking before them. */
function hasTraffic(turns: readonly RecordedTurn[]): boolean {
  return (
    turns.some(({ content, calls }) => calls.length > 0 || !content.every(isPlain)) ||
    !(turns.at(-1)?.content.some(isSaid) ?? true)
  );
}

function isPlain({ type }: ContentBlock): boolean {
  return ['text', 'thinking', 'redacted_thinking'].includes(type);
}

/** The words of an answer. */
export function wordsOf(content: readonly ContentBlock[]): ContentBlock[] {
  return content.filter(isSaid);
}

function isSaid(block: ContentBlock): boolean {
  return block.type === 'text' && block.text.trim() !== '';
}
