/** An answer on the screen: while it comes where there is a terminal, else when it is recorded. */
import type { FocusEventBody } from '../../engage/events/events.ts';
import type { Output, Part } from '../view/output.ts';

type EventOf<Type extends FocusEventBody['type']> = Extract<FocusEventBody, { readonly type: Type }>;

export interface AnswerView {
  coming(event: EventOf<'text' | 'restart'>): void;
  /** Prints the answer, unless it stands there already; a terminal shows it whole, a line elsewhere is cut as lines are. */
  recorded(event: EventOf<'turn_recorded'>): void;
}

/** `heading` stands before each answer. */
export function createAnswerView(output: Output, heading: (turn: number) => readonly Part[]): AnswerView {
  let shown = '';
  return {
    coming(event) {
      if (event.type === 'restart') {
        if (shown !== '') output.line('  … once more:');
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
