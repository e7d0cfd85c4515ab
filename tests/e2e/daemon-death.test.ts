/** The promise "nothing outlives its lease", with real processes: a program acts as the daemon and is killed or frozen. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createProcessHost } from '../../src/process/host/supervised-host.ts';
import type { Isolation, ProcessResult } from '../../src/process/process-host.ts';
import { isolationModes, startDirectory } from '../process/isolation-modes.ts';
import { eventually, isAlive, processesWith } from '../process/live-processes.ts';

const modes = await isolationModes();
const PROGRAM = new URL('../process/daemon-program.ts', import.meta.url).pathname;

/** A process in the group, one in its own session, and one that ignores SIGTERM and holds the output open. */
const FAMILY = `
  sleep 300 &
  setsid sh -c 'trap "" TERM HUP INT; while :; do sleep 300; done' &
  (setsid setsid sleep 300 &) &
  trap "" TERM HUP
  echo up
  while :; do sleep 300; done`;
const FAMILY_SIZE = 5;

const ways = modes.flatMap((isolation) => [
  { isolation, how: 'run', launched: false },
  { isolation, how: 'launched', launched: true },
]);

describe.skipIf(process.platform !== 'linux').each(ways)('$how in isolation $isolation', ({ isolation, launched }) => {
  test('all descendants and the supervisor die with a daemon that is SIGKILLed', async () => {
    const daemon = playDaemon({ isolation, launched });
    const { supervisor } = await daemon.family();
    daemon.child.kill('SIGKILL');
    await eventually(
      () => processesWith(daemon.token),
      (pids) => pids.length === 0,
    );
    await eventually(
      () => isAlive(supervisor),
      (alive) => !alive,
    );
  });

  test("a kill of the daemon's whole process group spares the supervisor, which then cleans up", async () => {
    const daemon = playDaemon({ isolation, launched });
    const { supervisor } = await daemon.family();
    process.kill(-(daemon.child.pid ?? 0), 'SIGKILL');
    await eventually(
      () => processesWith(daemon.token),
      (pids) => pids.length === 0,
    );
    await eventually(
      () => isAlive(supervisor),
      (alive) => !alive,
    );
  });

  test('all descendants of a frozen daemon die when the deadline passes, and the daemon learns this when it is resumed', async () => {
    const daemon = playDaemon({ isolation, launched, deadlineMs: 4000 });
    await daemon.family();
    daemon.child.kill('SIGSTOP');
    await eventually(
      () => processesWith(daemon.token),
      (pids) => pids.length === 0,
    );
    daemon.child.kill('SIGCONT');
    const result = await daemon.result();
    expect(result.ended).toBe('interrupted');
    expect(result.problem).toContain('deadline');
    expect(result.stdout.text).toBe('up\n');
  });

  test('when the supervisor is SIGKILLed, the daemon kills its processes and reports what happened', async () => {
    const daemon = playDaemon({ isolation, launched });
    const { supervisor } = await daemon.family();
    process.kill(supervisor, 'SIGKILL');
    const result = await daemon.result();
    expect(result.ended).toBe('interrupted');
    expect(result.problem).toContain('the process supervisor ended (SIGKILL)');
    expect(processesWith(daemon.token)).toEqual([]);
  });
});

test.skipIf(!modes.includes('namespace'))(
  'namespaces end even if daemon and supervisor are SIGKILLed together',
  async () => {
    const daemon = playDaemon({ isolation: 'namespace' });
    const { supervisor } = await daemon.family();
    daemon.child.kill('SIGSTOP');
    process.kill(supervisor, 'SIGKILL');
    daemon.child.kill('SIGKILL');
    await eventually(
      () => processesWith(daemon.token),
      (pids) => pids.length === 0,
    );
  },
);

test('after the supervisor has died the next run starts a new one', async () => {
  const host = createProcessHost();
  onTestFinished(() => host.stop());
  const token = randomUUID();
  const abort = new AbortController();
  const running = host.run(specOf('none', `sleep 300; : ${token}`), abort.signal);
  const [pid = 0] = await eventually(
    () => processesWith(token),
    (pids) => pids.length > 0,
  );
  process.kill(parentOf(pid), 'SIGKILL');
  expect(await running).toMatchObject({ ended: 'interrupted' });
  expect(await host.run(specOf('none', 'echo again'), abort.signal)).toMatchObject({ ended: 'exit', exitCode: 0 });
});

test('renewing the deadline keeps a run alive, and after the deadline the next run is refused until it is renewed', async () => {
  const host = createProcessHost();
  onTestFinished(() => host.stop());
  const never = new AbortController().signal;
  host.setDeadline('focus', 60_000);
  await host.run(specOf('none', 'true'), never);
  host.setDeadline('focus', 300);
  host.setDeadline('focus', 10_000);
  expect(await host.run(specOf('none', 'sleep 0.6'), never)).toMatchObject({ ended: 'exit' });
  host.setDeadline('focus', 1500);
  expect(await host.run(specOf('none', 'sleep 300'), never)).toMatchObject({ ended: 'interrupted' });
  expect(await host.run(specOf('none', 'true'), never)).toMatchObject({ ended: 'unavailable' });
  expect(await host.run({ ...specOf('none', 'true'), owner: 'other' }, never)).toMatchObject({ ended: 'exit' });
  host.setDeadline('focus', 10_000);
  expect(await host.run(specOf('none', 'true'), never)).toMatchObject({ ended: 'exit' });
});

test('killAll ends all processes of one owner and none of another', async () => {
  const host = createProcessHost();
  onTestFinished(() => host.stop());
  const [mine, other] = [randomUUID(), randomUUID()];
  const never = new AbortController().signal;
  const runs = [1, 2, 3].map(() => host.run({ ...specOf('none', `sleep 300; : ${mine}`), owner: 'a' }, never));
  const survivor = host.run({ ...specOf('none', `sleep 300; : ${other}`), owner: 'b' }, never);
  await eventually(
    () => processesWith(mine).length,
    (count) => count >= 3,
  );
  await eventually(
    () => processesWith(other).length,
    (count) => count > 0,
  );
  await host.killAll('a');
  expect(processesWith(mine)).toEqual([]);
  expect(processesWith(other)).not.toEqual([]);
  expect((await Promise.all(runs)).map(({ ended }) => ended)).toEqual(['aborted', 'aborted', 'aborted']);
  await host.stop();
  expect(await survivor).toMatchObject({ ended: 'interrupted', problem: 'killed: the daemon stops' });
  expect(processesWith(other)).toEqual([]);
});

function playDaemon(options: { isolation: Isolation; deadlineMs?: number; launched?: boolean }) {
  const token = randomUUID();
  const base = specOf(options.isolation, FAMILY);
  const spec = { ...base, env: { ...base.env, TOKEN: token } };
  // Encoded, so that the daemon's own command line does not match.
  const argument = Buffer.from(
    JSON.stringify({ spec, deadlineMs: options.deadlineMs, launched: options.launched }),
  ).toString('base64');
  const child: ChildProcess = spawn(process.execPath, [PROGRAM, argument], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void (child.kill('SIGCONT'), child.kill('SIGKILL')));
  const results: ProcessResult[] = [];
  if (!child.stdout) throw new Error('the daemon has no stdout');
  createInterface(child.stdout).on('line', (line) => {
    const told = JSON.parse(line) as { result?: ProcessResult };
    if (told.result) results.push(told.result);
  });
  return {
    token,
    child,
    /** Waits until all processes are running. */
    async family() {
      await eventually(
        () => processesWith(token).length,
        (count) => count >= FAMILY_SIZE,
      );
      const supervisor = childrenOf(child.pid ?? 0)[0];
      if (supervisor === undefined) throw new Error('no supervisor');
      return { supervisor };
    },
    result: async () =>
      (
        await eventually(
          () => results,
          (seen) => seen.length > 0,
        )
      )[0] as ProcessResult,
  };
}

function specOf(isolation: Isolation, script: string) {
  return {
    owner: 'focus',
    command: 'sh',
    args: ['-c', script],
    cwd: startDirectory(isolation),
    env: { PATH: '/usr/bin:/bin' },
    timeoutMs: 60_000,
    maxOutputBytes: 1000,
    isolation,
  };
}

function childrenOf(pid: number): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}

function parentOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}
