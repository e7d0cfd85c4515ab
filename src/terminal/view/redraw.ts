import type { Sink } from './output.ts';

/**
 * Draws each frame over the previous one, from the line where the first frame started. It changes no terminal modes, so the
 * last frame stays above a clean prompt however the process ends. A frame higher than the terminal is cut. Each frame is
 * one write; its lines must fit the terminal's width.
 */
export function createRedraw(terminal: Sink): (frame: string) => void {
  let drawnLines = 0;
  let drawnOn = '';
  return (frame) => {
    const rows = terminal.rows || 24;
    const size = `${terminal.columns}x${rows}`;
    const lines = fitting(frame.trimEnd().split('\n'), rows - 1);
    // After a change of width the terminal has rewrapped the old frame, so its first line has moved.
    const resized = drawnOn !== '' && size !== drawnOn;
    const start = resized ? CLEAR_SCREEN : drawnLines > 0 ? `\u001b[${drawnLines}A\r` : '';
    // Erase each line before writing it: erasing after a full-width line would remove its last character.
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
