import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createProcessHost } from '../../src/process/host/supervised-host.ts';
import type { LaunchedProcess, LaunchSpec } from '../../src/process/process-host.ts';
import { isolationModes, startDirectory } from '../process/isolation-modes.ts';
import { eventually, processesWith } from '../process/live-processes.ts';

const modes = await isolationModes();

describe.each(modes)('a launched process in isolation %s', (isolation) => {
  test('answers what is written to it, byte for byte, and ends at the end of its input', async () => {
    const { launch } = setUp(isolation);
    const sent = 'grüß 三 😀 '.repeat(200_000);
    const cat = launch('exec cat');
    cat.stdin!.end(sent);
    cat.stdout.setEncoding('utf8');
    expect((await text(cat.stdout)) === sent).toBe(true);
    expect(await cat.exited).toMatchObject({ ended: 'exit', exitCode: 0, problem: null });
  });

  test('keeps stdout and stderr apart, and has its own answer for each line', async () => {
    const { launch } = setUp(isolation);
    const echo = launch('while read -r line; do echo "got $line"; echo "note $line" >&2; done; exit 3');
    echo.stdin!.write('a\n');
    await next(echo, 'got a\n');
    echo.stdin!.end('b\n');
    await next(echo, 'got b\n');
    expect(await text(echo.stderr)).toBe('note a\nnote b\n');
    expect(await echo.exited).toMatchObject({ ended: 'exit', exitCode: 3 });
  });

  test('loses no byte of what it wrote before it exited, even if that is read later', async () => {
    const { launch } = setUp(isolation);
    const process = launch('seq 1 65000; echo last >&2; exit 5');
    expect(await process.exited).toMatchObject({ ended: 'exit', exitCode: 5 });
    const lines = (await text(process.stdout)).split('\n');
    expect([lines.length, lines[0], lines.at(-2)]).toEqual([65_001, '1', '65000']);
    expect(await text(process.stderr)).toBe('last\n');
  });

  test('is stopped with everything that it started', async () => {
    const { launch } = setUp(isolation, { graceMs: 100 });
    const token = randomUUID();
    const process = launch(
      `trap "" TERM; sleep 300 & setsid sh -c 'sleep 300; : ${token}' & echo up; wait; wait; sleep 300`,
      {
        env: { PATH: '/usr/bin:/bin', TOKEN: token },
      },
    );
    await next(process, 'up\n');
    expect(await process.stop()).toMatchObject({ ended: 'aborted' });
    expect(processesWith(token)).toEqual([]);
  });

  test('may say goodbye at SIGTERM', async () => {
    const { launch } = setUp(isolation, { graceMs: 10_000 });
    const process = launch('trap "echo bye; exit 7" TERM; echo up; sleep 300 & wait');
    await next(process, 'up\n');
    expect(await process.stop()).toMatchObject({ ended: 'aborted', exitCode: 7 });
    expect(await text(process.stdout)).toBe('bye\n');
  });

  test('that cannot start says why', async () => {
    const { launch } = setUp(isolation);
    const missing = launch('', { command: 'no-such-command' });
    expect(await missing.exited).toMatchObject({
      ended: 'not_started',
      problem: 'no-such-command: not found or not executable',
    });
    expect(await text(missing.stdout)).toBe('');
    expect(await written(missing, 'x')).toBeInstanceOf(Error);
  });
});

test('a flood that nobody reads blocks the process, and little of it is kept', async () => {
  const { launch } = setUp('none', { graceMs: 100 });
  const process = launch('head -c 512M /dev/zero; echo done >&2');
  const other = launch('grep VmHWM /proc/$PPID/status');
  const peak = await text(other.stdout);
  await eventually(
    () => process.stdout.readableLength,
    (kept) => kept >= 256 * 1024,
  );
  await process.stop();
  const kept = (await buffer(process.stdout)).length;
  expect(kept).toBeLessThan(2 * 2 ** 20);
  expect(Number(/(\d+) kB/.exec(peak)?.[1])).toBeLessThan(250_000);
});

test('a quarter of a gigabyte passes through, and neither side grows', async () => {
  const { launch } = setUp('none');
  const before = process.memoryUsage().rss;
  const flood = launch('head -c 256M /dev/zero; exec grep VmHWM /proc/$PPID/status >&2');
  let bytes = 0;
  for await (const chunk of flood.stdout) bytes += (chunk as Buffer).length;
  expect(bytes).toBe(2 ** 28);
  expect(Number(/(\d+) kB/.exec(await text(flood.stderr))?.[1])).toBeLessThan(250_000);
  expect(process.memoryUsage().rss - before).toBeLessThan(250_000_000);
});

test('a process that does not read its input holds the writer back, until it is stopped', async () => {
  const { launch } = setUp('none', { graceMs: 100 });
  const deaf = launch('echo up; exec sleep 300');
  await next(deaf, 'up\n');
  const large = written(deaf, 'x'.repeat(5_000_000));
  // What was sent before has arrived when a later process has ended.
  await launch('true').exited;
  expect(await Promise.race([large, Promise.resolve('still waiting')])).toBe('still waiting');
  expect(await deaf.stop()).toMatchObject({ ended: 'aborted' });
  expect(await large).toBeInstanceOf(Error);
});

test('a process that closes its input goes on, and a write to it fails', async () => {
  const { launch } = setUp('none');
  const process = launch('exec 0<&-; echo closed; sleep 0.2; echo more');
  await next(process, 'closed\n');
  expect(await written(process, 'x')).toMatchObject({ message: 'the process has closed its input' });
  expect(await text(process.stdout)).toBe('more\n');
  expect(await process.exited).toMatchObject({ ended: 'exit', exitCode: 0 });
});

test('a reader that goes away does not block the process', async () => {
  const { launch } = setUp('none');
  const process = launch('head -c 8M /dev/zero; exit 4');
  process.stdout.destroy();
  expect(await process.exited).toMatchObject({ ended: 'exit', exitCode: 4 });
});

test('a pipe as input does not make bash source ~/.bashrc', async () => {
  const { launch } = setUp('none');
  const home = mkdtempSync(join(tmpdir(), 'animus-home-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  writeFileSync(join(home, '.bashrc'), 'echo sourced');
  const bash = launch('echo hello', { command: 'bash', env: { PATH: '/usr/bin:/bin', HOME: home } });
  expect(await text(bash.stdout)).toBe('hello\n');
});

test('without input, it reads an end of file', async () => {
  const { launch } = setUp('none');
  const cat = launch('exec cat', { stdin: 'none' });
  expect(cat.stdin).toBeNull();
  expect(await cat.exited).toMatchObject({ ended: 'exit', exitCode: 0 });
});

test('it ends with killAll, with the deadline of its owner, its time-out, its signal and its host', async () => {
  const { launch, processes } = setUp('none', { graceMs: 100 });
  const token = randomUUID();
  const script = `echo up; sleep 300; : ${token}`;
  const started = async (spec: Partial<LaunchSpec> = {}, signal?: AbortSignal): Promise<LaunchedProcess> => {
    const process = launch(script, spec, signal);
    await next(process, 'up\n');
    return process;
  };

  const killed = await started();
  await processes.killAll('focus');
  expect(await killed.exited).toMatchObject({ ended: 'aborted' });

  processes.setDeadline('focus', 1500);
  const late = await started();
  expect(await late.exited).toMatchObject({ ended: 'interrupted', problem: expect.stringContaining('deadline') });
  expect(await launch(script).exited).toMatchObject({ ended: 'unavailable' });
  await processes.killAll('focus');

  expect(await (await started({ timeoutMs: 1000 })).exited).toMatchObject({ ended: 'timeout' });

  const abort = new AbortController();
  const aborted = await started({}, abort.signal);
  abort.abort();
  expect(await aborted.exited).toMatchObject({ ended: 'aborted' });
  expect(await launch(script, {}, abort.signal).exited).toMatchObject({ ended: 'aborted', durationMs: 0 });

  const last = await started();
  await processes.stop();
  expect(await last.exited).toMatchObject({ ended: 'interrupted' });
  expect(await launch(script).exited).toMatchObject({ ended: 'unavailable' });
  expect(await last.stop()).toMatchObject({ ended: 'interrupted' });
  expect(processesWith(token)).toEqual([]);
});

test('it ends with its supervisor, also with a frozen one when it is stopped', async () => {
  const { launch } = setUp('none', { graceMs: 100, watchdogMs: 300 });
  const token = randomUUID();
  const orphan = launch(`echo up; kill -KILL $PPID; sleep 300; : ${token}`);
  expect(await orphan.exited).toMatchObject({ ended: 'interrupted' });
  const frozen = launch(`echo $PPID; read -r go; kill -STOP $PPID; sleep 300; : ${token}`);
  const [pid] = (await once(frozen.stdout, 'data')) as [Buffer];
  frozen.stdin!.write('\n');
  await eventually(
    () => readFileSync(`/proc/${pid.toString().trim()}/stat`, 'utf8').split(') ')[1]?.[0],
    (state) => state === 'T',
  );
  const lost = written(frozen, 'x');
  expect(await frozen.stop()).toMatchObject({ ended: 'interrupted' });
  expect(await lost).toMatchObject({ message: 'the process has ended' });
  expect(await text(frozen.stdout)).toBe('');
  expect(processesWith(token)).toEqual([]);
});

function setUp(isolation: LaunchSpec['isolation'], options: { graceMs?: number; watchdogMs?: number } = {}) {
  const processes = createProcessHost(options);
  onTestFinished(() => processes.stop());
  const base: LaunchSpec = {
    owner: 'focus',
    command: 'sh',
    args: [],
    cwd: startDirectory(isolation),
    env: { PATH: '/usr/bin:/bin' },
    stdin: 'pipe',
    isolation,
  };
  const launch = (
    script: string,
    spec: Partial<LaunchSpec> = {},
    signal = new AbortController().signal,
  ): LaunchedProcess => processes.launch({ ...base, args: ['-c', script], ...spec }, signal);
  return { launch, processes };
}

/** Reads stdout until it has brought exactly this text. */
async function next(process: LaunchedProcess, expected: string): Promise<void> {
  let seen = '';
  const signal = AbortSignal.timeout(10_000);
  while (seen.length < expected.length) {
    const chunk = process.stdout.read(expected.length - seen.length) as Buffer | null;
    if (chunk !== null) seen += chunk.toString();
    else await once(process.stdout, 'readable', { signal });
  }
  expect(seen).toBe(expected);
}

/** Resolves with the error of a write, or null. */
function written(process: LaunchedProcess, data: string): Promise<Error | null> {
  return new Promise((resolve) => process.stdin!.write(data, (error) => resolve(error ?? null)));
}
