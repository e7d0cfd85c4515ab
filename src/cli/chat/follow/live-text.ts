/** The text of an answer as it arrives, beside what is recorded of it: each character is shown once, and in order. */
import type { WorkEvent } from '../../../store/events/event.ts';
import type { TextPiece } from '../../../store/transcript/live-text.ts';
import type { ShownOutput } from './live-output.ts';

/** What is to be shown. `again`: the answer began anew, and what was shown of it is void. */
export type Shown =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'again' }
  | { readonly type: 'recorded'; readonly event: WorkEvent }
  | ShownOutput;

export interface LiveText {
  /** Takes a recorded event, in order. */
  recorded(event: WorkEvent): readonly Shown[];
  /** Takes a piece. Those of a turn that cannot be shown yet are kept until `settled`. */
  piece(piece: TextPiece): readonly Shown[];
  /** Everything that was recorded when the kept pieces came has been taken. */
  settled(): readonly Shown[];
  /** True while pieces are kept: the tables have to be read. */
  readonly waits: boolean;
}

interface Turn {
  readonly focus: number;
  readonly turn: number;
}

export function createLiveText(): LiveText {
  /** The newest turn that is recorded. */
  let recorded: Turn = { focus: 0, turn: 0 };
  /** The turn whose pieces are shown, and what was shown and is not recorded yet. */
  let open: (Turn & { text: string }) | null = null;
  let kept: TextPiece[] = [];

  const isPast = ({ focus, turn }: Turn, than: Turn) =>
    focus < than.focus || (focus === than.focus && turn <= than.turn);

  function show(piece: TextPiece): Shown[] {
    if (isPast(piece, recorded)) return [];
    const { focus, turn, from, text, earlier } = piece;
    if (open?.focus !== focus || open.turn !== turn) {
      // It joins in the middle: the beginning is sent again.
      if (from !== 0) return [];
      const others = open !== null && open.text !== '';
      open = { focus, turn, text };
      return [...(others ? [{ type: 'again' as const }] : []), { type: 'text', text }];
    }
    if (earlier) {
      const missing = from > open.text.length ? '' : text.slice(open.text.length - from);
      open.text += missing;
      return missing === '' ? [] : [{ type: 'text', text: missing }];
    }
    if (from === 0 && open.text !== '') {
      open.text = text;
      return [{ type: 'again' }, { type: 'text', text }];
    }
    // A piece was lost, or came twice.
    if (from !== open.text.length) return [];
    open.text += text;
    return [{ type: 'text', text }];
  }

  /** A block of a recorded answer: what of it was not shown yet. */
  function block(text: string): Shown[] {
    const shown = open?.text ?? '';
    if (shown.startsWith(text)) {
      open!.text = shown.slice(text.length);
      return [];
    }
    open = null;
    if (text.startsWith(shown)) return [{ type: 'text', text: text.slice(shown.length) }];
    return [{ type: 'again' }, { type: 'text', text }];
  }

  return {
    get waits() {
      return kept.length > 0;
    },
    recorded(event) {
      if (event.type === 'turn') {
        const { focus, turn } = event;
        recorded = { focus, turn };
        const isOther = open !== null && (open.focus !== focus || open.turn !== turn);
        const again = isOther && open!.text !== '' ? [{ type: 'again' as const }] : [];
        if (isOther) open = null;
        return [...again, { type: 'recorded', event }];
      }
      if (event.type === 'text') return block(event.text);
      if (event.type === 'thought') return [{ type: 'recorded', event }];
      // Whatever else is recorded stands after the answer.
      if (open !== null && isPast(open, recorded)) open = null;
      return [{ type: 'recorded', event }];
    },
    piece(piece) {
      const isOpen = open?.focus === piece.focus && open.turn === piece.turn;
      if (isOpen && kept.length === 0) return show(piece);
      if (!isPast(piece, recorded)) kept.push(piece);
      return [];
    },
    settled() {
      const due = kept;
      kept = [];
      return due.flatMap(show);
    },
  };
}
