/** What a conversation shows of a feed: the text of an answer as it arrives, each character once and in order, beside what is recorded. */
import type { Hint, HintOf, WorkEvent } from '../../store/events/event.ts';
import type { FeedEntry } from '../../store/events/live/feed.ts';
import { foldOutput, type ShownOutput } from './shown-output.ts';

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

interface Turn {
  readonly focus: number;
  readonly turn: number;
}

const isSame = (one: Turn | null, { focus, turn }: Turn) => one?.focus === focus && one.turn === turn;

export function foldAnswer() {
  const output = foldOutput();
  /** The newest turn that is recorded. */
  let recorded: Turn = { focus: 0, turn: 0 };
  /** The turn whose pieces are shown, and what was shown and is not recorded yet. */
  let open: (Turn & { text: string }) | null = null;
  /** What was shown is void, which is said together with what comes next. */
  let isVoid = false;

  function begin(text: string): Shown[] {
    const again = isVoid || (open !== null && open.text !== '');
    isVoid = false;
    return [...(again ? [{ type: 'again' as const }] : []), { type: 'text', text }];
  }

  function piece({ focus, turn, from, text }: HintOf<'text'>): Shown[] {
    if (open === null || !isSame(open, { focus, turn })) {
      const shown = begin(text);
      open = { focus, turn, text };
      return shown;
    }
    const missing = text.slice(Math.max(0, open.text.length - from));
    open.text += missing;
    return missing === '' ? [] : [{ type: 'text', text: missing }];
  }

  function hint(one: Hint): Shown[] {
    if (one.type === 'text') return piece(one);
    if (one.type === 'withdrawn' && open !== null && isSame(open, one)) {
      isVoid ||= open.text !== '';
      open = null;
    }
    return [];
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
    const goesOn = !isVoid && text.startsWith(shown);
    const all: Shown[] = goesOn ? [{ type: 'text', text: text.slice(shown.length) }] : begin(text);
    open = null;
    return leftOut > 0 ? [...all, { type: 'left_out', characters: leftOut }] : all;
  }

  function event(one: WorkEvent): Shown[] {
    const withdrawn: Shown[] = isVoid ? [{ type: 'withdrawn' }] : [];
    switch (one.type) {
      case 'turn': {
        const isOther = open !== null && !isSame(open, one);
        const again: Shown[] = isVoid || (isOther && open!.text !== '') ? [{ type: 'again' }] : [];
        recorded = one;
        isVoid = false;
        if (isOther) open = null;
        return [...again, { type: 'recorded', event: one }];
      }
      case 'text': {
        const shown = block(one);
        // It has no turn: nothing else comes of this one.
        if (one.cutOff) open = null;
        return shown;
      }
      case 'thought':
        return [{ type: 'recorded', event: one }];
      default:
        isVoid = false;
        // Whatever else is recorded stands after the answer.
        if (open !== null && isSame(open, recorded)) open = null;
        return [...withdrawn, { type: 'recorded', event: one }];
    }
  }

  return {
    /** Takes the entries of a feed, in order. */
    take(entry: FeedEntry): readonly Shown[] {
      const shown = 'hint' in entry ? hint(entry.hint) : event(entry.placed.event as WorkEvent);
      return [...shown, ...output.after(entry)];
    },
  };
}
