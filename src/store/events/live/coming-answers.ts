/** The texts of answers that are coming, kept for readers that join: of a work item, or of the items of a conversation. */
import type { AnyEvent, Hint, HintOf } from '../event.ts';
import type { TextPiece } from './live-pieces.ts';

export interface ComingAnswers {
  /** Takes a piece; the hints for those who read already. `gap`: something before it is missing, and has to be asked for again. */
  take(workItemId: string, piece: TextPiece): { readonly hints: readonly Hint[]; readonly gap: boolean };
  /** Takes a recorded event; the hints that come before it. */
  recorded(event: AnyEvent): readonly Hint[];
  /** Forgets what belongs to other items than these, and withdraws the texts of those that no daemon works on. */
  keep(items: ReadonlyMap<string, { readonly state: string }>): readonly Hint[];
  /** One hint for each answer, with what has arrived of it. */
  present(): readonly Hint[];
}

/** Characters of an answer that are kept. A reader that joins a longer one gets its beginning, and all of it with its record. */
const KEPT_CHARS = 1_048_576;
/** The states in which an answer may be coming. */
const WORKED_ON = new Set(['claimed', 'running']);

interface Turn {
  readonly focus: number;
  readonly turn: number;
}

interface Coming extends Turn {
  /** What is kept of it. */
  text: string;
  length: number;
}

const isPast = ({ focus, turn }: Turn, than: Turn) => focus < than.focus || (focus === than.focus && turn <= than.turn);
const isBefore = (one: Turn, than: Turn) => isPast(one, than) && !(one.focus === than.focus && one.turn === than.turn);
const textHint = (workItemId: string, { focus, turn }: Turn, from: number, text: string): HintOf<'text'> => ({
  type: 'text',
  live: true,
  workItemId,
  focus,
  turn,
  from,
  text,
});

export function createComingAnswers(): ComingAnswers {
  /** By item. */
  const answers = new Map<string, Coming>();
  /** The newest turn that is recorded: pieces of it that come late are left out. */
  const recorded = new Map<string, Turn>();

  /** Says that what readers have of an answer is void. */
  function withdraw(id: string): Hint[] {
    const answer = answers.get(id);
    answers.delete(id);
    if (!answer) return [];
    return [{ type: 'withdrawn', live: true, workItemId: id, focus: answer.focus, turn: answer.turn }];
  }

  function add(id: string, piece: TextPiece, from: number): Hint {
    const { focus, turn } = piece;
    const text = piece.text.slice(from - piece.from);
    const answer = answers.get(id) ?? { focus, turn, text: '', length: 0 };
    answers.set(id, answer);
    answer.length += text.length;
    if (answer.text.length < KEPT_CHARS) answer.text += text;
    return textHint(id, piece, from, text);
  }

  function take(id: string, piece: TextPiece) {
    const last = recorded.get(id);
    if (last && isPast(piece, last)) return { hints: [], gap: false };
    const hints: Hint[] = [];
    const before = answers.get(id);
    if (before && isBefore(piece, before)) return { hints, gap: false };
    // A turn is only asked for when the one before it is recorded; a focus only begins when the one before it is over.
    if (before && before.focus === piece.focus && before.turn < piece.turn) answers.delete(id);
    else if (before && isOther(before, piece)) hints.push(...withdraw(id));
    const has = answers.get(id)?.length ?? 0;
    if (piece.from > has) return { hints, gap: true };
    if (piece.from + piece.text.length > has) hints.push(add(id, piece, has));
    return { hints, gap: false };
  }

  return {
    take,
    recorded(event) {
      switch (event.type) {
        case 'turn':
          recorded.set(event.workItemId, event);
          if (answers.has(event.workItemId) && isPast(answers.get(event.workItemId)!, event))
            answers.delete(event.workItemId);
          return [];
        case 'text':
          // What was cut off is recorded without its turn.
          if (event.cutOff) answers.delete(event.workItemId);
          return [];
        case 'state': {
          const answer = answers.get(event.workItemId);
          const isLost = event.state === 'running' && (event.resumed || (event.focus ?? 0) > (answer?.focus ?? 0));
          return isLost ? withdraw(event.workItemId) : [];
        }
        case 'error': {
          const answer = answers.get(event.workItemId);
          return (event.focus ?? Infinity) >= (answer?.focus ?? 0) ? withdraw(event.workItemId) : [];
        }
        case 'done':
          return withdraw(event.workItemId);
        default:
          return [];
      }
    },
    keep(items) {
      for (const id of recorded.keys()) if (!items.has(id)) recorded.delete(id);
      const gone = [...answers.keys()].filter((id) => !WORKED_ON.has(items.get(id)?.state ?? ''));
      return gone.flatMap((id) => {
        const hints = withdraw(id);
        // Of an item that has ended, its events say what became of the text.
        return items.has(id) ? hints : [];
      });
    },
    present: () => [...answers].map(([id, answer]) => textHint(id, answer, 0, answer.text)),
  };
}

/** Whether a piece belongs to another attempt than the text that has arrived. One that was sent twice does not. */
function isOther(answer: Coming, { focus, turn, from, text, earlier }: TextPiece): boolean {
  if (focus !== answer.focus || turn !== answer.turn || (from === 0 && !earlier)) return true;
  return !text.startsWith(answer.text.slice(from, from + text.length));
}
