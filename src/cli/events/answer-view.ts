/** Prints the answers of a model: on a terminal while they are streamed, otherwise when they are recorded. */
import type { FocusEventBody } from '../../engage/events/events.ts';
import type { Output } from '../../terminal/view/output.ts';
import type { Part } from '../../terminal/view/part.ts';

type EventOf<Type extends FocusEventBody['type']> = Extract<FocusEventBody, { readonly type: Type }>;

export interface AnswerView {
  coming(event: EventOf<'text' | 'restart'>): void;
  /** Prints a recorded answer, unless it was streamed already. A terminal shows all of it; elsewhere it is one cut line. */
  recorded(event: EventOf<'turn_recorded'>): void;
}

/** Starts each answer with `heading`. */
export function createAnswerView(output: Output, heading: (turn: number) => readonly Part[]): AnswerView {
  let shown = '';
  return {
    coming(event) {
      if (event.type === 'restart') {
        if (shown !== '') output.line('  … the answer starts again:');
        shown = '';
        return;
      }
      if (!output.live) return;
      // White space before the first word would be an empty line.
      const text = shown === '' ? event.text.trimStart() : event.text;
      output.piece(...(shown === '' && text !== '' ? heading(event.turn) : []), text);
      shown += text;
    },
    recorded({ turn, text }) {
      const there = shown.trim() === text.trim();
      shown = '';
      if (!there) output.line(...heading(turn), text);
    },
  };
}
