/** A console on a terminal that is played. */
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { onTestFinished } from 'vitest';
import { type Console, openConsole } from '../../../src/features/conversations/console/console.ts';
import { createTerminalScreen } from '../../support/terminal-screen.ts';

export interface PlayedConsole {
  readonly console: Console;
  /** What the terminal shows. */
  readonly rows: () => readonly string[];
  /** All that was written to it, with colours. */
  readonly written: () => string;
  /** Types. */
  type(keys: string): void;
}

export function playedConsole(columns = 60): PlayedConsole {
  const screen = createTerminalScreen(columns);
  const stdin = new PassThrough();
  let written = '';
  const write = (text: string) => {
    written += text;
    screen.write(text);
  };
  const stdout = Object.assign(new EventEmitter(), { isTTY: true, columns, rows: 24, write });
  const console = openConsole(
    {
      stdin,
      stdout,
      env: { TERM: 'xterm' },
      signals: { passInterrupts: () => () => undefined },
      stopJob: () => Promise.resolve(),
    },
    { onLine: () => undefined, onInterrupt: () => undefined, onEnd: () => undefined },
  );
  onTestFinished(() => console.close());
  return { console, rows: screen.rows, written: () => written, type: (keys) => void stdin.write(keys) };
}
