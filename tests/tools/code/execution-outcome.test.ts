/** The outcome of code, and of a command, as rows and answers show it. */
import { expect, test } from 'vitest';
import type { Execution } from '../../../src/sandbox/sandbox.ts';
import type { KeptFile } from '../../../src/tools/code/contained-run.ts';
import { executionOutcome } from '../../../src/tools/code/execution-outcome.ts';

const textOf = (text: string) => ({ text, bytes: Buffer.byteLength(text) });

function outcomeOf(changed: Partial<Execution>, isCommand = false, whole: Parameters<typeof executionOutcome>[2] = {}) {
  const execution: Execution = {
    ended: 'returned',
    value: null,
    stdout: textOf('out'),
    stderr: textOf(''),
    files: [],
    ...changed,
  };
  return executionOutcome({ execution, calls: [], files: [], durationMs: 1234.5 }, isCommand, whole);
}

const PLAIN = { stdout: 'out', stdout_bytes: 3, stderr: '', stderr_bytes: 0, files: [], duration_ms: 1235 };

test.each<[string, Partial<Execution>, boolean, object]>([
  ['code that returned nothing', {}, false, { exit_status: 0, ended: 'exited' }],
  ['code that returned a value', { value: '{"a":1}' }, false, { exit_status: 0, ended: 'exited', value: { a: 1 } }],
  ['a command', { value: '3' }, true, { exit_status: 3, ended: 'exited' }],
  [
    'code that raised',
    { ended: 'raised', traceback: 'line 1' },
    false,
    { exit_status: 1, ended: 'exited', traceback: 'line 1' },
  ],
  ['code that left by sys.exit', { ended: 'raised', exitStatus: 4 }, false, { exit_status: 4, ended: 'exited' }],
  [
    'code that took too long',
    { ended: 'timeout', problem: 'it took 5 s' },
    false,
    { exit_status: 124, ended: 'timeout', problem: 'it took 5 s' },
  ],
  [
    'a command that broke a limit',
    { ended: 'limit', problem: 'memory' },
    true,
    { exit_status: 137, ended: 'limit', problem: 'memory' },
  ],
  [
    'a value that lost something',
    { note: 'NaN became null' },
    false,
    { exit_status: 0, ended: 'exited', note: 'NaN became null' },
  ],
])('of %s has what there is to say, and no other fields', (_what, changed, isCommand, said) => {
  expect(outcomeOf(changed, isCommand)).toStrictEqual({ ...PLAIN, ...said });
});

test('a long stream is shown at both ends, and is an artifact; what could not be kept is told', () => {
  const bytes = 70_000;
  const long = { text: `${'a'.repeat(bytes / 2)}${'z'.repeat(bytes / 2)}`, bytes };
  const outcome = outcomeOf({ stdout: long, value: '1' }, false, {
    stdout: { artifactId: 'art' },
    stderr: { problem: 'the disk is full' },
    value: { artifactId: 'big' },
  });
  expect(outcome).toMatchObject({ stdout_artifact: 'art', stdout_bytes: bytes });
  expect(outcome.stdout).toBe(`${'a'.repeat(16_384)}\n[… ${bytes - 32_768} bytes left out …]\n${'z'.repeat(16_384)}`);
  expect(outcome).not.toHaveProperty('value');
  expect(outcome.note).toBe('stderr was not kept whole: the disk is full; the value is long: it is the artifact big');
});

test('files are named with their artifacts, or with why they have none', () => {
  const kept: KeptFile[] = [
    { file: { name: 'a.txt', bytes: Buffer.from('abc') }, kept: { artifactId: 'one' } },
    { file: { name: 'b.txt', bytes: Buffer.from('') }, kept: { problem: 'too many' } },
  ];
  const execution: Execution = { ended: 'returned', value: null, stdout: textOf(''), stderr: textOf(''), files: [] };
  expect(executionOutcome({ execution, calls: [], files: kept, durationMs: 1 }, false, {}).files).toStrictEqual([
    { name: 'a.txt', bytes: 3, artifact_id: 'one' },
    { name: 'b.txt', bytes: 0, problem: 'too many' },
  ]);
});
