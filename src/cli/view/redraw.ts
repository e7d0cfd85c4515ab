import type { Sink } from './output.ts';

/**
 * Draws frames over one another, from the line where the first began. No state of the terminal is changed: however the
 * process ends, the last frame stays above a clean prompt. A frame higher than the terminal is cut. Each frame is written
 * at once; its lines must fit the terminal's width.
 */
export function createRedraw(terminal: Sink): (frame: string) => void {
  let drawnLines = 0;
  let drawnOn = '';
  return (frame) => {
    const rows = terminal.rows || 24;
    const size = `${terminal.columns}x${rows}`;
    const lines = fitting(frame.trimEnd().split('\n'), rows - 1);
    // A terminal that changed its width has wrapped the old frame anew: its first line is not where it was.
    const resized = drawnOn !== '' && size !== drawnOn;
    const start = resized ? CLEAR_SCREEN : drawnLines > 0 ? `\u001b[${drawnLines}A\r` : '';
    // Erased before it is written: behind a line as wide as the terminal, erasing would take its last character.
    terminal.write(`${start}${lines.map((line) => `${ERASE_LINE}${line}\n`).join('')}${ERASE_BELOW}`);
    [drawnLines, drawnOn] = [lines.length, size];
  };
}

const CLEAR_SCREEN = '\u001b[2J\u001b[H';
const ERASE_LINE = '\u001b[2K';
const ERASE_BELOW = '\u001b[J';

function fitting(lines: readonly string[], rows: number): readonly string[] {
  if (lines.length <= rows) return lines;
  return [...lines.slice(0, rows - 1), `… ${lines.length - rows + 1} more lines`];
}
