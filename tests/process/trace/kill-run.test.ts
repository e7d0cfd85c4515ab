import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findProcesses, killRun } from '../../../src/process/trace/kill-run.ts';
import { startTicksOf } from '../../../src/process/trace/process-table.ts';
import { SPAWN_MARKER } from '../../../src/process/trace/run-trace.ts';
import { isAlive } from '../live-processes.ts';

describe.skipIf(process.platform !== 'linux')('on Linux', () => {
  test('a process group whose number was reused is left alone', async () => {
    const { pid } = await start({});
    const stranger = { pgid: pid, spawnId: randomUUID(), startTicks: startTicksOf(pid) - 1 };
    expect(await killRun(stranger)).toEqual([]);
    expect(isAlive(pid)).toBe(true);
    expect(await killRun({ ...stranger, startTicks: startTicksOf(pid) })).toEqual([]);
    expect(isAlive(pid)).toBe(false);
  });

  test('a process is found by its marker alone, and only by the complete marker', async () => {
    const spawnId = randomUUID();
    const { pid } = await start({ [SPAWN_MARKER]: spawnId });
    const { pid: other } = await start({ [SPAWN_MARKER]: `${spawnId}0`, OTHER: `${SPAWN_MARKER}=${spawnId}` });
    expect((await findProcesses({ pgid: null, spawnId, startTicks: 0 })).pids).toEqual([pid]);
    await killRun({ pgid: null, spawnId, startTicks: 0 });
    expect([isAlive(pid), isAlive(other)]).toEqual([false, true]);
  });

  test('a process that started before the run is not taken for a part of it', async () => {
    const spawnId = randomUUID();
    const { pid } = await start({ [SPAWN_MARKER]: spawnId });
    expect((await findProcesses({ pgid: null, spawnId, startTicks: startTicksOf(pid) + 1 })).pids).toEqual([]);
  });
});

async function start(env: Record<string, string>): Promise<ChildProcess & { pid: number }> {
  const child = spawn('/bin/sh', ['-c', 'echo up; exec /bin/sleep 300'], {
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => {
    try {
      process.kill(-(child.pid ?? 0), 'SIGKILL');
    } catch {
      // Killed by the code under test.
    }
  });
  if (!child.stdout || child.pid === undefined) throw new Error('sh did not start');
  await once(child.stdout, 'data');
  return child as ChildProcess & { pid: number };
}
