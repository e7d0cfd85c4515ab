/** Prints the answers of a model: on a terminal while they are streamed, otherwise when they are recorded. */
import { type Output, styled } from '../view/output.ts';
import type { Part } from '../view/part.ts';
import { counted } from '../view/quantities.ts';

/** The events and hints that are part of an answer. */
type AnswerPart =
  | { readonly type: 'turn'; readonly turn: number }
  | {
      readonly type: 'text';
      readonly live?: never;
      readonly turn: number;
      readonly text: string;
      readonly leftOut?: number;
    }
  | { readonly type: 'text'; readonly live: true; readonly turn: number; readonly text: string }
  | { readonly type: 'withdrawn' };

export interface AnswerView {
  take(part: AnswerPart): void;
  /** The recorded texts of the answer were all taken: prints them, unless they were streamed already. Call it before anything else is printed. */
  settle(): void;
}

/** Starts each answer with `heading`. A terminal shows all of it; elsewhere it is one cut line. */
export function createAnswerView(output: Output, heading: (turn: number) => readonly Part[]): AnswerView {
  let shown = '';
  let recorded: { readonly heading: readonly Part[]; readonly text: string; readonly leftOut: number } | null = null;

  function settle(): void {
    if (recorded === null) return;
    const { heading: parts, text: all, leftOut } = recorded;
    const [text, came] = [all.trim(), shown.trim()];
    const isShown = leftOut > 0 ? came.startsWith(text) && came !== '' : came === text;
    [shown, recorded] = ['', null];
    if (isShown) return;
    output.line(...parts, text);
    if (leftOut > 0) output.line(styled(`  … ${counted(leftOut, 'more character')}`, 'dim'));
  }

  function stream({ turn, text: piece }: { readonly turn: number; readonly text: string }): void {
    if (!output.live) return;
    // White space before the first word would be an empty line.
    const text = shown === '' ? piece.trimStart() : piece;
    output.piece(...(shown === '' && text !== '' ? heading(turn) : []), text);
    shown += text;
  }

  return {
    settle,
    take(part) {
      switch (part.type) {
        case 'turn':
          settle();
          recorded = { heading: heading(part.turn), text: '', leftOut: 0 };
          return;
        case 'text': {
          if (part.live) {
            settle();
            return stream(part);
          }
          const before = recorded ?? { heading: heading(part.turn), text: '', leftOut: 0 };
          recorded = { ...before, text: before.text + part.text, leftOut: before.leftOut + (part.leftOut ?? 0) };
          return;
        }
        case 'withdrawn':
          settle();
          if (shown !== '') output.line('  … the answer starts again:');
          shown = '';
          return;
        default:
          return part satisfies never;
      }
    },
  };
}
