/** Promise: standbys are few, count for nothing, and end with their owner. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { cgroupsHere, ownCgroup } from '../../../src/process/limits/cgroup-place.ts';
import { DEFAULT_LIMITS } from '../../../src/process/limits/limits.ts';
import { namespaceRunner } from '../../../src/process/runners/namespace.ts';
import { closePlaces } from '../../../src/process/runners/place.ts';
import type { StartLine } from '../../../src/process/runners/runner.ts';
import { createStandbys } from '../../../src/process/supervisor/standbys.ts';
import { createSupervisor } from '../../../src/process/supervisor/supervisor.ts';
import type { FromSupervisor } from '../../../src/process/supervisor/supervisor-protocol.ts';
import { eventually, isAlive } from '../live-processes.ts';
import { PATH, withHost } from '../standby-host.ts';
import { undisturbed } from '../undisturbed.ts';
import { childrenOf, nextStandby, shellOf, waitingStandbys } from '../waiting-standbys.ts';

const works = (await namespaceRunner.examine()) === null;

describe.skipIf(!works)('standbys', undisturbed(), () => {
  test('end with their owner, and with their host', async () => {
    const { host, run } = withHost();
    await Promise.all([run({}), run({ owner: 'other' })]);
    const both = await eventually(waitingStandbys, (pids) => pids.length === 2);
    await host.killAll('focus');
    expect(both.filter(isAlive)).toHaveLength(1);
    await host.stop();
    expect(both.filter(isAlive)).toEqual([]);
  });

  test('are not prepared after a command that says that it is the last, which uses one that waits', async () => {
    const { run } = withHost();
    await run({ isLast: true });
    await run({ owner: 'other' });
    // One of the first would have been prepared before.
    const other = await nextStandby();
    expect(waitingStandbys()).toEqual([other]);
    await run({});
    const standby = await nextStandby([other]);
    await run({ isLast: true });
    expect(isAlive(standby)).toBe(false);
    expect(waitingStandbys()).toEqual([other]);
  });

  test('are gone with all of their processes and cgroups when their owner was ended', async () => {
    const { host, run } = withHost();
    const owners = Array.from({ length: 12 }, (_, index) => `owner-${index}`);
    await Promise.all(owners.map((owner) => run({ owner })));
    const leaders = await eventually(waitingStandbys, (pids) => pids.length === owners.length);
    const all = leaders.flatMap((leader) => [leader, ...childrenOf(leader), shellOf(leader)!]);
    const parent = cgroupsHere() === 'none' ? null : dirname(dirname(cgroupOf(leaders[0]!)));
    if (parent !== null) expect(directoriesIn(parent)).toHaveLength(owners.length);
    await Promise.all(owners.map((owner) => host.killAll(owner)));
    expect(all.filter(isAlive)).toEqual([]);
    if (parent !== null)
      await eventually(
        () => directoriesIn(parent),
        (left) => left.length === 0,
      );
  });

  test('of an owner have ended when all of their processes have', async () => {
    const standbys = createStandbys(() => null);
    const { purpose } = purposes();
    const owners = Array.from({ length: 8 }, (_, index) => `owner-${index}`);
    for (let round = 0; round < 5; round++) {
      const before = childrenOf(process.pid);
      for (const owner of owners) standbys.prepare({ ...purpose(), owner });
      // In the order in which they were started; the keeper of their place has no shell below.
      const look = () => childrenOf(process.pid).filter((pid) => !before.includes(pid) && shellOf(pid) !== undefined);
      const leaders = await eventually(look, (pids) => pids.length === owners.length);
      const ends = owners.map(async (owner, index) => {
        const all = [leaders[index]!, ...childrenOf(leaders[index]!), shellOf(leaders[index]!)!];
        await standbys.end(owner);
        return all.filter(isAlive);
      });
      expect((await Promise.all(ends)).flat()).toEqual([]);
    }
  });

  test('are given to nobody once they are being ended', async () => {
    const standbys = createStandbys(() => null);
    const { purpose } = purposes();
    standbys.prepare(purpose());
    expect(standbys.waitingTasks('focus')).toBe(3);
    const ended = standbys.end('focus');
    expect(standbys.take(purpose())).toBeNull();
    expect(standbys.waitingTasks('focus')).toBe(0);
    await ended;
  });

  test('are sixteen at most: the oldest makes room after five seconds, and none before', async () => {
    const { run } = withHost();
    await run({});
    const first = await nextStandby();
    for (let owner = 1; owner < 16; owner++) await run({ owner: `owner-${owner}` });
    const sixteen = await eventually(waitingStandbys, (pids) => pids.length === 16);
    await Promise.all(['more', 'still more'].map((owner) => run({ owner })));
    await sleep(200);
    expect(waitingStandbys()).toEqual(sixteen);
    await sleep(5000);
    await run({ owner: 'late' });
    const another = await nextStandby(sixteen);
    expect(waitingStandbys().toSorted()).toEqual([...sixteen.filter((pid) => pid !== first), another].toSorted());
  });

  test('count in the cgroup of their owner, whose limit is higher by as much', async () => {
    const limits: (readonly [string, number])[] = [];
    const ends: FromSupervisor[] = [];
    const supervisor = createSupervisor((message) => message.type === 'ended' && ends.push(message), {
      addRun: (_, run, { processes }) => {
        limits.push([run, processes]);
        return null;
      },
      limit: (_, { processes }) => limits.push(['taken', processes]),
      remove: () => {},
      close: () => {},
    });
    onTestFinished(() => supervisor.endAll('done'));
    const common = { owner: 'focus', command: 'sh', args: ['-c', ':'], cwd: '/', env: { PATH } };
    const start = async (id: number, end: 'run' | 'launch' = 'run') => {
      const spec = {
        ...common,
        isolation: 'namespace',
        timeoutMs: 60_000,
        maxOutputBytes: 1000,
        stdin: 'pipe',
      } as const;
      const message = { id, spawnId: `spawn-${id}`, graceMs: 200, spec };
      supervisor.receive({ ...message, type: end });
      await eventually(
        () => ends.length,
        (length) => length === id,
      );
    };
    await start(1, 'launch');
    await start(2);
    await start(3);
    expect(limits).toEqual([
      ['1', 1024],
      ['2', 1024],
      ['standby-1', 1027],
      ['taken', 1024],
      ['standby-2', 1027],
    ]);
  });

  test('are not prepared for an owner that may have few processes', async () => {
    const { host, run } = withHost();
    host.setLimits('focus', { memoryBytes: 2 ** 30, processes: 50 });
    await run({});
    await run({ owner: 'other' });
    await nextStandby();
    expect(waitingStandbys()).toHaveLength(1);
  });
});

function cgroupOf(pid: number): string {
  return ownCgroup(readFileSync(`/proc/${pid}/cgroup`, 'utf8'), readFileSync('/proc/self/mountinfo', 'utf8'))!;
}

function directoriesIn(path: string): readonly string[] {
  return readdirSync(path, { withFileTypes: true }).flatMap((each) => (each.isDirectory() ? [each.name] : []));
}

/** What standbys in this process are prepared and taken for. */
function purposes() {
  const lines: StartLine[] = [];
  onTestFinished(() => {
    for (const { place } of lines) place?.entered();
    closePlaces();
  });
  const purpose = () => {
    const line = namespaceRunner.start({
      command: '/bin/true',
      args: [],
      cwd: '/',
      maxTasks: 9,
      maxMemoryBytes: 2 ** 26,
    });
    if (typeof line === 'string') throw new Error(line);
    lines.push(line);
    return { owner: 'focus', line, limits: DEFAULT_LIMITS };
  };
  return { purpose };
}
