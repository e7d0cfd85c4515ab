import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createProcessHost } from '../../src/process/host/supervised-host.ts';
import type { ProcessResult, ProcessSpec } from '../../src/process/process-host.ts';
import { isolationModes, startDirectory } from '../process/isolation-modes.ts';
import { eventually, processesWith } from '../process/live-processes.ts';

const modes = await isolationModes();

describe.each(modes)('a run in isolation %s', (isolation) => {
  test('returns exit code, both streams and their sizes', async () => {
    const run = setUp(isolation);
    const result = await run('echo out; echo err >&2; exit 3');
    expect(result).toMatchObject({ ended: 'exit', exitCode: 3, signal: null, problem: null });
    expect(result.stdout).toEqual({ text: 'out\n', bytes: 4, truncated: false });
    expect(result.stderr).toEqual({ text: 'err\n', bytes: 4, truncated: false });
  });

  test('gets exactly the given environment, and the marker', async () => {
    const run = setUp(isolation);
    const result = await run('exec env', { env: { PATH: '/usr/bin:/bin', GREETING: 'grüß\nGott' } });
    const names = result.stdout.text.split('\n').map((line) => line.split('=')[0]);
    // The shell adds the last three itself.
    const own = new Set(names.filter((name) => !['PWD', 'SHLVL', '_', '', 'Gott'].includes(name ?? '')));
    expect(own).toEqual(new Set(['PATH', 'GREETING', 'ANIMUS_SPAWN_ID']));
  });

  test('leaves no background process behind, in its process group or in its own session', async () => {
    const run = setUp(isolation);
    const token = randomUUID();
    const result = await run(`sleep 300 & setsid sh -c 'sleep 300; : ${token}' & setsid setsid sleep 300 & echo done`, {
      env: { PATH: '/usr/bin:/bin', TOKEN: token },
    });
    expect(result).toMatchObject({ ended: 'exit', exitCode: 0 });
    expect(result.stdout.text).toBe('done\n');
    expect(processesWith(token)).toEqual([]);
  });

  test('ends on time-out although SIGTERM is ignored, and returns the output so far', async () => {
    const run = setUp(isolation, 100);
    const result = await run('trap "" TERM; echo before; while :; do sleep 60; done', { timeoutMs: 1500 });
    expect(result.ended).toBe('timeout');
    expect(result.stdout.text).toBe('before\n');
  });

  test('lets a command stop itself on SIGTERM', async () => {
    const run = setUp(isolation, 10_000);
    const result = await run('trap "echo bye; exit 7" TERM; echo up; sleep 300 & wait', { timeoutMs: 1500 });
    expect(result).toMatchObject({ ended: 'timeout', exitCode: 7 });
    expect(result.stdout.text).toBe('up\nbye\n');
  });

  test('ends on abort', async () => {
    const token = randomUUID();
    const abort = new AbortController();
    const run = setUp(isolation);
    const running = run(`sleep 300; : ${token}`, {}, abort.signal);
    await eventually(
      () => processesWith(token),
      (pids) => pids.length > 0,
    );
    abort.abort();
    expect((await running).ended).toBe('aborted');
    expect(processesWith(token)).toEqual([]);
  });

  test('keeps beginning and end of a flood of output, and counts all of it', async () => {
    const run = setUp(isolation);
    const result = await run('echo first; head -c 256M /dev/zero; echo; echo last', {
      maxOutputBytes: 1000,
      timeoutMs: 60_000,
    });
    expect(result.stdout.bytes).toBe(2 ** 28 + 12);
    expect(result.stdout.truncated).toBe(true);
    expect(result.stdout.text.startsWith('first\n')).toBe(true);
    expect(result.stdout.text.endsWith('last\n')).toBe(true);
    expect(result.stdout.text.length).toBeLessThan(1100);
  });

  test('gets all of stdin, and may leave it unread', async () => {
    const run = setUp(isolation);
    const stdin = 'ü'.repeat(500_000);
    expect((await run('wc -c', { stdin })).stdout.text.trim()).toBe('1000000');
    expect(await run('exec 0<&-; exit 0', { stdin })).toMatchObject({ ended: 'exit', exitCode: 0 });
    expect((await run('cat')).stdout.bytes).toBe(0);
  });

  test('ends when its output is closed early', async () => {
    const run = setUp(isolation);
    expect(await run('exec >&- 2>&-; exit 4')).toMatchObject({ ended: 'exit', exitCode: 4 });
  });

  test('that cannot start reports why', async () => {
    const run = setUp(isolation);
    const missing = await run('', { command: 'no-such-command' });
    expect(missing).toMatchObject({ ended: 'not_started', problem: 'no-such-command: not found or not executable' });
    const nowhere = await run('true', { cwd: '/no/such/place' });
    const tooLong = await run('', { args: ['-c', 'x'.repeat(3_000_000)] });
    expect(tooLong).toMatchObject({ ended: 'not_started', problem: expect.stringContaining('E2BIG') });
    const broken = await run('echo a\0b', { cwd: '/tmp\0' });
    expect(broken).toMatchObject({ ended: 'not_started', problem: expect.stringContaining('null bytes') });
    expect(nowhere).toMatchObject({
      ended: 'not_started',
      problem: 'the working directory /no/such/place does not exist',
    });
  });
});

test('fifty runs at once do not mix their output', async () => {
  const run = setUp('none');
  const results = await Promise.all(Array.from({ length: 50 }, (_, i) => run(`seq ${i} ${i + 1000}; echo ${i} >&2`)));
  for (const [i, { stdout, stderr }] of results.entries()) {
    expect(stdout.text.split('\n').slice(0, -1)).toEqual(Array.from({ length: 1001 }, (_, n) => String(i + n)));
    expect(stderr.text).toBe(`${i}\n`);
  }
});

test.skipIf(process.platform !== 'linux')('half a gigabyte of output does not make the supervisor grow', async () => {
  const run = setUp('none');
  const flood = await run('head -c 512M /dev/zero', { timeoutMs: 60_000 });
  const peak = await run('grep VmHWM /proc/$PPID/status');
  expect(flood.stdout.bytes).toBe(2 ** 29);
  expect(Number(/(\d+) kB/.exec(peak.stdout.text)?.[1])).toBeLessThan(250_000);
});

test('processes that keep moving to new sessions are caught', async () => {
  const run = setUp('none');
  const token = randomUUID();
  // It ends by itself after half a minute, in case the test run is killed.
  const flee = 'flee() { ((EPOCHSECONDS < END)) && (sleep 0.02; setsid bash -c flee) & }';
  const script = `${flee}; export -f flee; export END=$((EPOCHSECONDS + 30)); flee; flee; flee; sleep 0.3; : ${token}`;
  const result = await run(script, { command: 'bash', env: { PATH: '/usr/bin:/bin', TOKEN: token } });
  expect(result).toMatchObject({ ended: 'exit', problem: null });
  expect(processesWith(token)).toEqual([]);
});

test('an escaped process with the marker removed does not delay the end', async () => {
  const run = setUp('none', 2000, 10_000, false);
  const result = await run('env -i setsid sleep 60 & echo $!');
  onTestFinished(() => void process.kill(Number(result.stdout.text), 'SIGKILL'));
  expect(result).toMatchObject({ ended: 'exit', exitCode: 0 });
  expect(result.durationMs).toBeLessThan(30_000);
});

test('a frozen supervisor is detected and replaced, and its processes are killed', async () => {
  const run = setUp('none', 100, 300);
  const token = randomUUID();
  const result = await run(`kill -STOP $PPID; sleep 300; : ${token}`, { timeoutMs: 200 });
  expect(result).toMatchObject({
    ended: 'interrupted',
    problem: expect.stringContaining('supervisor ended (SIGKILL)'),
  });
  expect(processesWith(token)).toEqual([]);
  expect(await run('echo again')).toMatchObject({ ended: 'exit' });
});

test('stop may be called at any time and repeatedly, and later runs are refused', async () => {
  const host = createProcessHost();
  await host.stop();
  await host.start();
  const token = randomUUID();
  const never = new AbortController().signal;
  const running = host.run({ ...SPEC, args: ['-c', `sleep 300; : ${token}`] }, never);
  await Promise.all([host.stop(), host.stop()]);
  expect((await running).ended).toBe('interrupted');
  expect(processesWith(token)).toEqual([]);
  expect(await host.run(SPEC, never)).toMatchObject({
    ended: 'unavailable',
    problem: 'the process host has been stopped',
  });
});

test('an aborted signal starts nothing', async () => {
  const run = setUp('none');
  expect(await run('echo x', {}, AbortSignal.abort())).toMatchObject({ ended: 'aborted', stdout: { bytes: 0 } });
});

const SPEC: ProcessSpec = {
  owner: 'focus',
  command: 'sh',
  args: ['-c', 'true'],
  cwd: tmpdir(),
  env: { PATH: '/usr/bin:/bin' },
  timeoutMs: 20_000,
  maxOutputBytes: 10_000,
  isolation: 'none',
};

function setUp(isolation: ProcessSpec['isolation'], graceMs = 2000, watchdogMs = 10_000, cgroups = true) {
  const host = createProcessHost({ graceMs, watchdogMs, cgroups });
  onTestFinished(() => host.stop());
  const cwd = startDirectory(isolation);
  return (
    script: string,
    spec: Partial<ProcessSpec> = {},
    signal = new AbortController().signal,
  ): Promise<ProcessResult> => host.run({ ...SPEC, cwd, args: ['-c', script], isolation, ...spec }, signal);
}
