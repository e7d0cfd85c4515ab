/** Promise: text that is on the terminal stays where it is when the size changes, and is not drawn a second time. */
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { openConsole } from '../../../../src/features/conversations/console/console.ts';
import { createTerminalScreen } from '../../../support/terminal-screen.ts';

test('a row of an answer that comes is drawn once, also where the terminal wraps its rows again', () => {
  const screen = createTerminalScreen(60);
  const written: string[] = [];
  const write = (text: string) => {
    written.push(text);
    screen.write(text);
  };
  const stdout = Object.assign(new EventEmitter(), { isTTY: true, columns: 60, rows: 24, write });
  const console = openConsole(
    {
      stdin: new PassThrough(),
      stdout,
      env: { TERM: 'xterm' },
      signals: { passInterrupts: () => () => undefined },
      stopJob: () => Promise.resolve(),
    },
    { onLine: () => undefined, onInterrupt: () => undefined, onEnd: () => undefined },
  );
  onTestFinished(() => console.close());
  console.status('the assistant is answering');
  console.piece('Words that have come of an answer');
  for (const columns of [40, 80]) {
    written.length = 0;
    stdout.columns = columns;
    stdout.emit('resize');
    expect(written.join('')).not.toContain('have come');
    expect(written.join('')).toContain('is answering');
  }
  screen.resize(80);
  console.piece(' and more.');
  console.endPiece();
  const rows = screen.rows();
  expect(rows.filter((row) => row.includes('have come'))).toHaveLength(1);
  expect(rows).toContain('and more.');
  expect(rows.filter((row) => row.includes('is answering'))).toHaveLength(1);
});
