/** Tool calls on a terminal: those that run, those that have ended, and what code prints. */
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { openConsole } from '../../../../src/features/conversations/console/console.ts';
import { createCallsView } from '../../../../src/features/conversations/session/calls-view.ts';
import type { WorkEvent } from '../../../../src/store/events/event.ts';
import { foldOutput } from '../../../../src/terminal/events/shown-output.ts';
import { createTerminalScreen } from '../../../support/terminal-screen.ts';
import { recorded } from '../../../terminal/events/feed-entries.ts';

/** A view of calls, at 5 s after they began. */
function callsOnTerminal(columns = 60) {
  const screen = createTerminalScreen(columns);
  const stdout = Object.assign(new EventEmitter(), { isTTY: true, columns, rows: 24, write: screen.write });
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
  const view = createCallsView(console, { nowMs: () => 5000 });
  const output = foldOutput();
  const fields = (callId: string, parent: string | null) =>
    ({ workItemId: 'w', atMs: 0, focus: 1, turn: 1, callId, parentCallId: parent }) as const;
  return {
    rows: screen.rows,
    begin(callId: string, name: string, input: Record<string, unknown>, parent: string | null = null) {
      const event: Extract<WorkEvent, { type: 'call' }> = { ...fields(callId, parent), type: 'call', name, input };
      output.after(recorded(event));
      view.begun(event);
    },
    end(callId: string, name: string, said: string, parent: string | null = null) {
      view.ended({
        ...fields(callId, parent),
        type: 'observation',
        name,
        input: null,
        state: 'completed',
        isError: false,
        output: said,
        outputBytes: said.length,
        durationMs: 5000,
      });
    },
    print(callId: string, from: number, text: string, stream: 'stdout' | 'stderr' = 'stdout') {
      const hint = {
        type: 'observation',
        live: true,
        workItemId: 'w',
        focus: 1,
        turn: 1,
        callId,
        stream,
        from,
        text,
      } as const;
      for (const shown of output.after({ hint })) view.printed(shown);
    },
    view,
  };
}

test('calls that run have a row each at the bottom, and those that have ended one line each', () => {
  const calls = callsOnTerminal(80);
  calls.begin('a', 'bash', { command: 'npm test\n' });
  calls.begin('b', 'grep', { pattern: 'x', path: 'src' });
  expect(calls.rows()).toEqual(['  → bash  npm test  5 s', '  → grep  {"pattern":"x","path":"src"}  5 s', '>']);
  calls.end('b', 'grep', 'src/a.ts:1: x\nsrc/b.ts:2: x');
  expect(calls.rows()).toEqual([
    '  ✓ grep  {"pattern":"x","path":"src"}  5.0 s  src/a.ts:1: x  … 2 lines',
    '  → bash  npm test  5 s',
    '>',
  ]);
  calls.end('a', 'bash', 'exit code 0');
  expect(calls.rows().slice(1)).toEqual(['  ✓ bash  npm test  5.0 s  exit code 0', '>']);
});

test('calls that wait say so, each until it is decided', () => {
  const calls = callsOnTerminal();
  for (const id of ['a', 'b']) calls.begin(id, 'bash', { command: `push ${id}` });
  for (const id of ['a', 'b']) calls.view.waits(id, true);
  expect(calls.rows()).toEqual(['  → bash  push a  waits', '  → bash  push b  waits', '>']);
  calls.view.waits('a', false);
  expect(calls.rows()).toEqual(['  → bash  push a  5 s', '  → bash  push b  waits', '>']);
});

test('many calls at once take a few rows', () => {
  const calls = callsOnTerminal();
  for (let n = 0; n < 40; n++) calls.begin(`c${n}`, 'read_file', { path: `${n}.ts` });
  const rows = calls.rows();
  expect(rows).toHaveLength(7);
  expect(rows[5]).toBe('  → … and 35 more calls');
  calls.view.over();
  expect(calls.rows().filter((row) => row.endsWith('read_file  did not end'))).toHaveLength(40);
});

test('what code prints stands below its call, line by line, and so do the calls that it makes', () => {
  const calls = callsOnTerminal();
  calls.begin('a', 'execute_code', { code: 'print("one")' });
  calls.print('a', 0, 'one\ntw');
  calls.print('a', 6, 'o\n 10 %\r 50 %');
  expect(calls.rows()).toEqual([
    '  → execute_code  print("one")',
    '    │ one',
    '    │ two',
    '  → execute_code  print("one")  5 s  50 %',
    '>',
  ]);
  calls.begin('n', 'read_file', { path: 'x' }, 'a');
  calls.end('n', 'read_file', 'text', 'a');
  calls.print('a', 19, '\rdone', 'stdout');
  calls.end('a', 'execute_code', 'one\ntwo\n…');
  expect(calls.rows()).toEqual([
    '  → execute_code  print("one")',
    '    │ one',
    '    │ two',
    '    ✓ read_file  x  5.0 s  text',
    '    │ done',
    '  ✓ execute_code  5.0 s  one  … 3 lines',
    '>',
  ]);
});

test('lines of calls that print at the same time say whose they are, and escape sequences are visible', () => {
  const calls = callsOnTerminal();
  for (const id of ['a', 'b']) calls.begin(id, 'execute_code', { code: `run ${id}` });
  calls.print('a', 0, 'from a\n');
  calls.print('b', 0, 'from b \u001b[2J\n', 'stderr');
  calls.print('a', 7, 'a again\n');
  expect(calls.rows().slice(0, 6)).toEqual([
    '  → execute_code  run a',
    '    │ from a',
    '  → execute_code  run b',
    '    ┆ from b \\x1b[2J',
    '  ⋮ execute_code  run a',
    '    │ a again',
  ]);
});

test('an endless output stops to scroll, and its row shows the newest line', () => {
  const calls = callsOnTerminal(80);
  calls.begin('a', 'execute_code', { code: 'loop()' });
  const lines = Array.from({ length: 1000 }, (_, n) => `line ${n}\n`).join('');
  for (let from = 0; from < lines.length; from += 1000) calls.print('a', from, lines.slice(from, from + 1000));
  calls.print('a', lines.length + 500, 'after a gap');
  const rows = calls.rows();
  expect(rows.filter((row) => row.startsWith('    │ line'))).toHaveLength(40);
  expect(rows.at(-2)).toBe('  → execute_code  loop()  5 s  1,001 lines  after a gap');
});
