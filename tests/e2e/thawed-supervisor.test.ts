/** A supervisor that was frozen runs all its timers at once when it is resumed: what happened in time must still count as in time. */
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { createProcessHost } from '../../src/process/host/supervised-host.ts';
import type { ProcessSpec } from '../../src/process/process-host.ts';
import { eventually, isAlive } from '../process/live-processes.ts';

const SPEC: ProcessSpec = {
  owner: 'focus',
  command: 'sh',
  args: ['-c', 'true'],
  cwd: '/',
  env: { PATH: '/usr/bin:/bin' },
  timeoutMs: 3000,
  maxOutputBytes: 1000,
  isolation: 'none',
};

test.skipIf(process.platform !== 'linux')(
  'a command that ended within its time-out counts as ended, not as timed out',
  async () => {
    const { host, freezeFor } = await setUp();
    const running = host.run({ ...SPEC, args: ['-c', 'sleep 0.3; echo in time'] }, new AbortController().signal);
    await freezeFor(3500);
    expect(await running).toMatchObject({ ended: 'exit', exitCode: 0, stdout: { text: 'in time\n' } });
  },
);

test.skipIf(process.platform !== 'linux')('a deadline that was renewed in time has not passed', async () => {
  const { host, freezeFor } = await setUp();
  host.setDeadline('focus', 700);
  const renewal = setInterval(() => host.setDeadline('focus', 700), 100);
  onTestFinished(() => clearInterval(renewal));
  const running = host.run(
    { ...SPEC, args: ['-c', 'sleep 2.2; echo whole'], timeoutMs: 20_000 },
    new AbortController().signal,
  );
  await freezeFor(1500);
  expect(await running).toMatchObject({ ended: 'exit', stdout: { text: 'whole\n' } });
});

test.skipIf(process.platform !== 'linux')(
  'a supervisor that stays frozen does not delay the end of a focus',
  async () => {
    const { host, supervisor } = await setUp(200);
    process.kill(supervisor, 'SIGSTOP');
    await host.killAll('focus');
    expect(isAlive(supervisor)).toBe(false);
  },
);

async function setUp(watchdogMs = 10_000) {
  const host = createProcessHost({ graceMs: 100, watchdogMs });
  onTestFinished(() => host.stop());
  const { stdout } = await host.run(
    { ...SPEC, args: ['-c', 'echo $PPID'], timeoutMs: 20_000 },
    new AbortController().signal,
  );
  const supervisor = Number(stdout.text);
  const freezeFor = async (ms: number): Promise<void> => {
    // Freeze only when the command itself runs and its start gate is open: a frozen supervisor opens none.
    await eventually(
      () => childrenOf(supervisor).flatMap(childrenOf),
      (grandchildren) => grandchildren.length > 0,
    );
    process.kill(supervisor, 'SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, ms));
    process.kill(supervisor, 'SIGCONT');
  };
  return { host, supervisor, freezeFor };
}

/** Pids; none for a process that has ended. */
function childrenOf(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return children === '' ? [] : children.split(' ').map(Number);
  } catch {
    return [];
  }
}
