/** A terminal on which output scrolls above a few rows that stay at the bottom: what a person types, and what is going on. */
import type { Sink } from '../../../terminal/view/output.ts';
import type { LaidOutBottom } from './lay-out-bottom.ts';

export interface Screen extends Sink {
  /** Writes whole lines above the bottom rows. */
  write(text: string): void;
  /** Draws the bottom rows again. */
  refresh(): void;
  /** Removes the bottom rows, and keeps what is written until `release`: another program has the terminal. */
  hold(): void;
  release(): void;
}

/** The part of a terminal that it needs: `resize` is emitted when its size changes. */
export interface TerminalSink extends Sink {
  on?(event: 'resize', listener: () => void): unknown;
}

/**
 * `bottom` lays out the bottom rows; none is wider than the width that it gets, so that the terminal never wraps them. No mode of the terminal is
 * changed. Whole lines are written above them. When the size changes, `finishText` may say that their rows of text are finished (true): these stay where they are, because a
 * terminal may have wrapped them again, and drawing them once more would show them twice.
 */
export function createScreen(
  terminal: TerminalSink,
  bottom: (width: number, rows: number) => LaidOutBottom,
  finishText: () => boolean = () => false,
): Screen {
  let drawn: LaidOutBottom | null = null;
  let held: string[] | null = null;
  const columns = () => Math.max(20, terminal.columns || 80);

  /**
   * Moves to the first of the bottom rows, or behind those that are kept, and erases them. On a terminal that wraps them again when it becomes narrower, some may stay: to go
   * further up could erase output on one that does not.
   */
  function erase(keep = 0): string {
    if (drawn === null) return '';
    const up = drawn.row - keep;
    drawn = null;
    return `${up > 0 ? `\u001b[${up}A` : ''}\r\u001b[J`;
  }

  function draw(): string {
    drawn = bottom(columns() - 1, terminal.rows || 24);
    const { rows, row, column } = drawn;
    const up = rows.length - 1 - row;
    return `${rows.join('\n')}${up > 0 ? `\u001b[${up}A` : ''}\r${column > 0 ? `\u001b[${column}C` : ''}`;
  }

  const screen: Screen = {
    isTTY: true,
    // Output fits the rows above, which also keep one column free.
    get columns() {
      return columns() - 1;
    },
    get rows() {
      return terminal.rows;
    },
    write(text) {
      const whole = text.endsWith('\n') ? text : `${text}\n`;
      if (held === null) terminal.write(erase() + whole + draw());
      else held.push(whole);
    },
    refresh() {
      if (held === null) terminal.write(erase() + draw());
    },
    hold() {
      terminal.write(erase());
      held = [];
    },
    release() {
      const text = held?.join('') ?? '';
      held = null;
      terminal.write(text + draw());
    },
  };
  terminal.on?.('resize', () => {
    if (drawn === null) return;
    terminal.write(erase(drawn.textRows > 0 && finishText() ? drawn.textRows : 0) + draw());
  });
  return screen;
}
