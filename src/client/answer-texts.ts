/** The text of answers to show now, built from the events of a conversation or of a work item. */
import type { ChatEvent, WorkEvent } from './api/api.ts';
import { createShownBranch } from './shown-branch.ts';

/** An answer as it is to be shown now, in place of what was shown of it before. */
export interface AnswerText {
  readonly work_item_id: string;
  /** All of it that is valid now. */
  readonly text: string;
  /** Something that was shown no longer counts: its attempt was lost, the answer begins again, it accompanied calls and is not part of the answer, or the answer is gone. */
  readonly withdrawn: boolean;
  /** The answer has ended, and the text stays so unless it is retried, edited or deleted. */
  readonly over: boolean;
  /** The conversation no longer shows this answer: its message, or one before it, was edited or asked again, or it was deleted. `text` is empty. */
  readonly gone?: true;
  /** How an answer that is over ended: `completed`, `dead` or `cancelled`. */
  readonly ended_as?: string | undefined;
  /** How many characters of a text that is over come after these: read the message for them. */
  readonly left_out?: number | undefined;
}

interface Answer {
  focus: number;
  /** By turn, of this focus: what is recorded, or its pieces until that comes. */
  readonly turns: Map<number, { readonly text: string; readonly isPieces: boolean }>;
  /** The text of a turn that is coming. */
  coming: { readonly turn: number; readonly text: string } | null;
}

/**
 * Yields the text of each answer whenever it changes. Give it `client.chats.events(…)` or `client.work.events(…)`; it ends when they end, and
 * `break` ends them.
 */
export async function* answerTexts(events: AsyncIterable<ChatEvent | WorkEvent>): AsyncGenerator<AnswerText, void> {
  const answers = new Map<string, Answer>();
  const latest = new Map<string, AnswerText>();
  const branch = createShownBranch();
  for await (const event of events) {
    for (const id of branch.take(event)) {
      // Also where nothing of it was shown yet: what comes of it will not be.
      const now = latest.get(id) ?? { work_item_id: id, text: '', withdrawn: false, over: false };
      if (branch.shows(id)) yield { ...now, withdrawn: false };
      else yield { work_item_id: id, text: '', withdrawn: now.text !== '', over: true, gone: true };
    }
    const change = next(answers, latest, event);
    if (change === null) continue;
    latest.set(change.work_item_id, change);
    if (branch.shows(change.work_item_id)) yield change;
  }
}

/** Returns what an event makes of the text of its answer; null: nothing else than before. */
function next(
  answers: Map<string, Answer>,
  latest: ReadonlyMap<string, AnswerText>,
  event: ChatEvent | WorkEvent,
): AnswerText | null {
  if (!('work_item_id' in event) || event.work_item_id === null) return null;
  const id = event.work_item_id;
  const last = latest.get(id);
  const before = last?.text ?? '';
  const answer = answers.get(id) ?? { focus: 0, turns: new Map(), coming: null };
  answers.set(id, answer);
  const isVoid = take(answer, event);
  const text = textOf(answer);
  const end = endOf(event, text);
  if (end !== null) {
    answers.delete(id);
    // In a conversation, the answer comes after the end of its work.
    if (last?.over && end.text === before && end.left_out === last.left_out) return null;
    // Text that accompanied calls is not part of a completed answer.
    const isLonger = end.left_out !== undefined && before.startsWith(end.text);
    return { work_item_id: id, ...end, withdrawn: !isLonger && !end.text.startsWith(before), over: true };
  }
  // What ended stays until a retry says something.
  if ((text === before && !isVoid) || (last?.over && text === '')) return null;
  // A hint that would have said so may be missing: after a new connection, for example.
  return { work_item_id: id, text, withdrawn: isVoid || !text.startsWith(before), over: false };
}

/** The end of an answer, with the text that stays; `said` is what its last attempt said. What completes in a conversation comes with its message. */
function endOf(event: ChatEvent | WorkEvent, said: string): Pick<AnswerText, 'text' | 'ended_as' | 'left_out'> | null {
  if (event.type === 'answered') return { text: event.text ?? '', ended_as: event.ended_as, left_out: event.left_out };
  if (event.type !== 'done' || event.state === 'merged') return null;
  if (event.state === 'completed' && event.text === undefined) return null;
  return { text: event.text ?? said, ended_as: event.state, left_out: event.left_out };
}

/** Returns whether something of the answer is void now. */
function take(answer: Answer, event: ChatEvent | WorkEvent): boolean {
  switch (event.type) {
    case 'text':
      return 'live' in event ? addPiece(answer, event) : addRecorded(answer, event);
    case 'turn':
      return begin(answer, event.focus) || endTurn(answer, event.turn);
    case 'state':
      if ('live' in event || event.state !== 'running') return false;
      return begin(answer, event.focus ?? 0) || (event.resumed && withdraw(answer));
    case 'withdrawn':
      return event.focus === answer.focus && event.turn === answer.coming?.turn && withdraw(answer);
    case 'error':
      return (event.focus ?? Infinity) >= answer.focus && withdraw(answer);
    case 'done':
      return withdraw(answer);
    default:
      return false;
  }
}

/** A later focus begins the answer again. */
function begin(answer: Answer, focus: number): boolean {
  if (focus <= answer.focus) return false;
  const hadText = textOf(answer) !== '';
  answer.focus = focus;
  answer.turns.clear();
  answer.coming = null;
  return hadText;
}

interface Piece {
  readonly focus: number;
  readonly turn: number;
  readonly from: number;
  readonly text: string;
}

function addPiece(answer: Answer, { focus, turn, from, text }: Piece): boolean {
  // Late: its turn is recorded.
  if (focus < answer.focus || (focus === answer.focus && answer.turns.has(turn))) return false;
  const isVoid = begin(answer, focus);
  // The turn before is recorded, then; its record may come later than this piece.
  if (answer.coming !== null && answer.coming.turn < turn) endTurn(answer, answer.coming.turn);
  const before = answer.coming?.text ?? '';
  if (from <= before.length) answer.coming = { turn, text: before.slice(0, from) + text };
  return isVoid;
}

/** Takes the place of the pieces of its turn. An answer has several blocks; a text that was cut off is recorded without its turn. */
function addRecorded(answer: Answer, { turn, text }: { readonly turn: number; readonly text: string }): false {
  if (answer.coming?.turn === turn) answer.coming = null;
  const before = answer.turns.get(turn);
  const blocks = before === undefined || before.isPieces ? '' : before.text;
  answer.turns.set(turn, { text: joined(blocks, text), isPieces: false });
  return false;
}

/** The pieces of a turn that is recorded stay until its texts come. */
function endTurn(answer: Answer, turn: number): false {
  const pieces = answer.coming?.turn === turn ? answer.coming.text : null;
  if (pieces !== null) answer.coming = null;
  if (!answer.turns.has(turn)) answer.turns.set(turn, { text: pieces ?? '', isPieces: pieces !== null });
  return false;
}

function withdraw(answer: Answer): boolean {
  const hadText = answer.coming !== null && answer.coming.text !== '';
  answer.coming = null;
  return hadText;
}

function textOf({ turns, coming }: Answer): string {
  const texts = [...turns.values()].map(({ text }) => text);
  return [...texts, coming?.text ?? ''].reduce(joined, '');
}

function joined(before: string, text: string): string {
  return before === '' || text === '' ? before + text : `${before}\n\n${text}`;
}
