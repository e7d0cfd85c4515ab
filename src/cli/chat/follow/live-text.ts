/** The text of an answer as it arrives, beside what is recorded of it: each character is shown once, and in order. */
import type { WorkEvent } from '../../../store/events/event.ts';
import type { TextPiece } from '../../../store/transcript/live-text.ts';
import type { ShownOutput } from './live-output.ts';

/**
 * What is to be shown. `again`: the answer began anew, and what was shown of it is void. `withdrawn`: the same, and nothing of it has come yet.
 * `left_out`: so many characters of the text that was just shown are not in its event.
 */
export type Shown =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'again' }
  | { readonly type: 'withdrawn' }
  | { readonly type: 'left_out'; readonly characters: number }
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
  /** True: something before the newest piece is missing, and has to be asked for again. */
  readonly gap: boolean;
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
  /** The pieces of a new attempt have come before the event that says that it goes on. */
  let early = false;
  let kept: TextPiece[] = [];
  let gap = false;

  const isPast = ({ focus, turn }: Turn, than: Turn) =>
    focus < than.focus || (focus === than.focus && turn <= than.turn);

  function show(piece: TextPiece): Shown[] {
    const { focus, turn, from, text, earlier } = piece;
    const isOpen = open?.focus === focus && open.turn === turn;
    if (isPast(piece, recorded) || (open !== null && !isOpen && isPast(piece, open))) return [];
    if (open === null || !isOpen) {
      // It joins in the middle: the beginning is sent again.
      gap = from !== 0;
      if (gap) return [];
      const others = open !== null && open.text !== '';
      open = { focus, turn, text };
      return [...(others ? [{ type: 'again' as const }] : []), { type: 'text', text }];
    }
    const isOther = (from === 0 && !earlier) || !text.startsWith(open.text.slice(from, from + text.length));
    if (isOther && open.text !== '') {
      gap = from !== 0;
      early = true;
      open.text = gap ? '' : text;
      return gap ? [{ type: 'withdrawn' }] : [{ type: 'again' }, { type: 'text', text }];
    }
    // A piece was lost; what comes before it is asked for.
    gap = from > open.text.length;
    const missing = gap ? '' : text.slice(open.text.length - from);
    open.text += missing;
    return missing === '' ? [] : [{ type: 'text', text: missing }];
  }

  /** A block of a recorded answer: what of it was not shown yet. */
  function block({ text, leftOut = 0 }: { readonly text: string; readonly leftOut?: number }): Shown[] {
    const shown = open?.text ?? '';
    if (shown.startsWith(text)) {
      const rest = shown.slice(text.length);
      // More of it was shown as it came than its event has.
      const left = leftOut - rest.length;
      if (open) open.text = leftOut > 0 ? '' : rest;
      return left > 0 ? [{ type: 'left_out', characters: left }] : [];
    }
    open = null;
    const left: Shown[] = leftOut > 0 ? [{ type: 'left_out', characters: leftOut }] : [];
    if (text.startsWith(shown)) return [{ type: 'text', text: text.slice(shown.length) }, ...left];
    return [{ type: 'again' }, { type: 'text', text }, ...left];
  }

  /** What ends an attempt without a record of its text. */
  function voids(event: WorkEvent): boolean {
    if (open === null || open.text === '' || isPast(open, recorded)) return false;
    if (event.type === 'state' && event.state === 'running' && event.resumed && early) return (early = false);
    if (event.type === 'state') return event.state === 'running' && (event.resumed || (event.focus ?? 0) > open.focus);
    return event.type === 'done' || (event.type === 'error' && (event.focus ?? Infinity) >= open.focus);
  }

  return {
    get waits() {
      return kept.length > 0;
    },
    get gap() {
      return gap;
    },
    recorded(event) {
      if (event.type === 'turn') {
        const { focus, turn } = event;
        recorded = { focus, turn };
        early = false;
        const isOther = open !== null && (open.focus !== focus || open.turn !== turn);
        const again = isOther && open!.text !== '' ? [{ type: 'again' as const }] : [];
        if (isOther) open = null;
        return [...again, { type: 'recorded', event }];
      }
      if (event.type === 'text') {
        const shown = block(event);
        // It has no turn: nothing else comes of this one.
        if (event.cutOff) open = null;
        return shown;
      }
      if (voids(event)) {
        open = null;
        return [{ type: 'withdrawn' }, { type: 'recorded', event }];
      }
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
