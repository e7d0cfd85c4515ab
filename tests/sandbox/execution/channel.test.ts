/** The engine's end of the channel, against containers that do what they like. */
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import type { ContainerEnd, HeldContainer } from '../../../src/sandbox/container-host.ts';
import { leftFiles } from '../../../src/sandbox/execution/left-files.ts';
import { openRunner } from '../../../src/sandbox/execution/open-runner.ts';
import { readLines } from '../../../src/sandbox/execution/read-lines.ts';
import { runCode } from '../../../src/sandbox/execution/run-code.ts';
import type { CodeCalls, Execution, ExecutionSpec } from '../../../src/sandbox/sandbox.ts';

const SPEC: ExecutionSpec = {
  owner: 'w',
  code: 'return 1',
  tools: [],
  timeoutMs: 60_000,
  image: '',
  memoryBytes: 2 ** 28,
  cpus: 1,
  skills: [],
};
const READY = '{"jsonrpc":"2.0","method":"ready"}';
const OUTPUT = { text: '', bytes: 0 };
const RETURNED = JSON.stringify({
  jsonrpc: '2.0',
  id: 'execute',
  result: { ended: 'returned', value: '1', stdout: OUTPUT, stderr: OUTPUT },
});
const call = (id: number, input: unknown = {}) =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'call', params: { name: 'echo', input } });
const answered: CodeCalls = async () => ({ content: 'yes', isError: false });

/** A container that is played by the test. */
function played(outOfMemory = false) {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const exited = Promise.withResolvers<ContainerEnd>();
  const end = (how: Partial<ContainerEnd> = {}): void => {
    stdout.end();
    stderr.end();
    exited.resolve({ ended: 'exited', exitCode: 1, problem: null, ...how });
  };
  const held = {
    id: 'c',
    stdin,
    stdout,
    stderr,
    exited: exited.promise,
    outOfMemory: () => outOfMemory,
    destroy: async () => end(),
  };
  const say = (...lines: readonly string[]): void => void stdout.write(lines.map((line) => `${line}\n`).join(''));
  const heard = readLines(stdin, 2 ** 25);
  const hear = async () => JSON.parse(String((await heard.next()).value)) as Record<string, unknown>;
  return { held: held as unknown as HeldContainer, say, hear, end };
}

async function execute(
  play: (container: ReturnType<typeof played>) => Promise<void> | void,
  calls = answered,
  outOfMemory = false,
  live?: ExecutionSpec['live'],
): Promise<Execution> {
  const container = played(outOfMemory);
  container.say(READY);
  const runner = await openRunner(container.held, 'image', 5000);
  const spec = live ? { ...SPEC, live } : SPEC;
  const execution = runCode(runner, spec, calls, new AbortController().signal, 'sdk');
  expect(await container.hear()).toMatchObject({
    id: 'execute',
    method: 'execute',
    params: { code: 'return 1', sdk: 'sdk', timeout_seconds: 60, ...(live && { live_bytes: live.bytes }) },
  });
  await play(container);
  return execution;
}

const printed = (text: string, stream = 'stdout') =>
  JSON.stringify({
    jsonrpc: '2.0',
    method: 'output',
    params: { stream, base64: Buffer.from(text).toString('base64') },
  });

describe('the channel', () => {
  test('passes on output as it comes, as much as was asked for of each stream', async () => {
    const heard: string[] = [];
    const live = {
      bytes: 4,
      onOutput: (stream: string, piece: Buffer) => void heard.push(`${stream} ${piece.toString()}`),
    };
    const play = ({ say }: ReturnType<typeof played>) =>
      say(printed('ab'), printed('xyz', 'stderr'), printed('cd'), RETURNED);
    expect(await execute(play, answered, false, live)).toMatchObject({ ended: 'returned' });
    expect(heard).toEqual(['stdout ab', 'stderr xyz', 'stdout cd']);
    const flood = ({ say }: ReturnType<typeof played>) => say(printed('abcd'), printed('e'));
    expect(await execute(flood, answered, false, live)).toMatchObject({
      ended: 'killed',
      problem: expect.stringContaining('more output than was asked for') as string,
    });
  });

  test('output that nobody has asked for ends the execution', async () => {
    expect(await execute(({ say }) => say(printed('a')))).toMatchObject({ ended: 'killed' });
  });

  test('answers calls while the code runs, in any order, and takes the outcome', async () => {
    const execution = await execute(async ({ say, hear }) => {
      say(call(1), call(2));
      const answers = [await hear(), await hear()];
      expect(answers).toContainEqual({ jsonrpc: '2.0', id: 2, result: { content: 'yes', is_error: false } });
      say(RETURNED);
    });
    expect(execution).toMatchObject({ ended: 'returned', value: '1', files: [] });
  });

  test.each([
    ['no JSON', 'hello'],
    ['no JSON-RPC', '{"id":"execute","result":{}}'],
    ['an unknown method', '{"jsonrpc":"2.0","method":"run","params":{}}'],
    ['a call without a number', '{"jsonrpc":"2.0","id":"1","method":"call","params":{"name":"x"}}'],
    ['an outcome that is none', '{"jsonrpc":"2.0","id":"execute","result":{"ended":"won"}}'],
    ['ready twice', READY],
    ['an empty line', ''],
  ])('that carries %s ends the execution with an error', async (_what, line) => {
    const execution = await execute(({ say }) => say(line));
    expect(execution.ended).toBe('killed');
    expect(execution.problem).toContain('broke the protocol');
  });

  test('that carries a line without end is not read further', async () => {
    const execution = await execute(({ held }) => {
      const stdout = held.stdout as PassThrough;
      for (let part = 0; part < 22; part++) stdout.write('x'.repeat(2 ** 20));
    });
    expect(execution.problem).toContain('a message of more than 20971520 bytes');
  });

  test('refuses a number that is in use, and too many calls at once', async () => {
    const never: CodeCalls = (_call, signal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve({ content: '', isError: true })));
    expect((await execute(({ say }) => say(call(1), call(1)), never)).problem).toContain('a repeated number');
    const many = Array.from({ length: 300 }, (_, id) => call(id + 1));
    expect((await execute(({ say }) => say(...many), never)).problem).toContain('more than 256 calls');
  });

  test('gives code an error for a result that is too large', async () => {
    const large: CodeCalls = async () => ({ content: 'x'.repeat(17 * 2 ** 20), isError: false });
    await execute(async ({ say, hear }) => {
      say(call(1));
      expect(await hear()).toMatchObject({
        id: 1,
        error: { message: expect.stringContaining('code can take 16777216') },
      });
      say(RETURNED);
    }, large);
  });

  test('makes no further calls for code that takes no answers, which would fill our memory', async () => {
    let made = 0;
    const large: CodeCalls = async () => ({ content: `${++made}`.padEnd(2 ** 20), isError: false });
    await execute(async ({ say, end }) => {
      say(...Array.from({ length: 64 }, (_, id) => call(id + 1)));
      for (let turns = 0; turns < 500; turns++) await nextTurn();
      expect(made).toBe(16);
      end();
    }, large);
  });

  test('reads no further calls while long ones are under way, which would fill our memory', async () => {
    let made = 0;
    const open: (() => void)[] = [];
    const slow: CodeCalls = async () => {
      made++;
      await new Promise<void>((resolve) => open.push(resolve));
      return { content: '', isError: false };
    };
    const execution = await execute(async ({ say }) => {
      say(...[1, 2, 3, 4].map((id) => call(id, 'x'.repeat(2 ** 23))), RETURNED);
      for (let turns = 0; turns < 500; turns++) await nextTurn();
      expect(made).toBe(3);
      for (const end of open) end();
      await vi.waitUntil(() => made === 4);
      for (const end of open) end();
    }, slow);
    expect(execution.ended).toBe('returned');
  });

  test('aborts the calls that are open when the code has ended, and waits for them', async () => {
    let ended = 0;
    const slow: CodeCalls = (_call, signal) =>
      new Promise((resolve) =>
        signal.addEventListener('abort', () =>
          setImmediate(() => {
            ended++;
            resolve({ content: '', isError: true });
          }),
        ),
      );
    await execute(({ say }) => say(call(1), call(2), RETURNED), slow);
    expect(ended).toBe(2);
  });

  test('that ends before the code says why', async () => {
    expect((await execute(({ end }) => end())).problem).toContain(
      'the container ended before the code did (exit code 1)',
    );
    expect(await execute(({ end }) => end({ ended: 'expired' }))).toMatchObject({
      ended: 'killed',
      problem: 'the lease of the work item ended',
    });
    expect((await execute(({ end }) => end({ ended: 'lost', problem: 'the engine went away' }))).problem).toContain(
      'the engine went away',
    );
    expect(await execute(({ end }) => end(), answered, true)).toMatchObject({
      ended: 'limit',
      problem: 'it ran out of memory (256 MiB)',
    });
  });

  test('of a container that is not ready says what it printed', async () => {
    const { held, end } = played();
    (held.stderr as PassThrough).write('python3: not found');
    setImmediate(end);
    await expect(openRunner(held, 'mine', 5000)).rejects.toThrow(
      'the runner in the image mine ended (exit code 1): python3: not found; build the image again',
    );
  });
});

describe('files that code leaves', () => {
  test.each(['', '.', '..', 'a/b', '../x', 'a\\b', 'a\u0000', 'a\nb', 'x'.repeat(300)])(
    'have plain names: not %j',
    (name) => {
      expect(leftFiles().add(name, '')).toContain('an invalid name');
    },
  );

  test('are limited in number and size, and each comes once', () => {
    const left = leftFiles();
    expect(left.add('a', Buffer.from('text').toString('base64'))).toBe(null);
    expect(left.add('a', '')).toContain('was sent twice');
    expect(left.add('large', Buffer.alloc(11 * 2 ** 20).toString('base64'))).toContain('more than 10485760 bytes');
    for (let n = 0; n < 19; n++) expect(left.add(`f${n}`, '')).toBe(null);
    expect(left.add('more', '')).toContain('more than 20 files');
    expect(left.files).toHaveLength(20);
    expect(left.files[0]?.bytes.toString()).toBe('text');
  });
});
