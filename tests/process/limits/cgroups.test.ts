import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { cgroupsHere, ownCgroup } from '../../../src/process/limits/cgroup-place.ts';
import { createOwnerCgroups } from '../../../src/process/limits/owner-cgroups.ts';
import { makeOwnerCgroup } from '../../../src/process/limits/run-cgroup.ts';
import { eventually } from '../live-processes.ts';

const V2 = '30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw';

test.each([
  ['a systemd unit', '0::/system.slice/animus.service\n', V2, '/sys/fs/cgroup/system.slice/animus.service'],
  ['a container with its own view', '0::/\n', V2, '/sys/fs/cgroup'],
  [
    'a hybrid host',
    '8:pids:/\n0::/x\n',
    `1 2 0:1 / /sys/fs/cgroup/pids rw - cgroup cgroup rw\n41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw`,
    '/sys/fs/cgroup/unified/x',
  ],
  ['a mount of a part', '0::/docker/abc/sub\n', V2.replace(' / /sys', ' /docker/abc /sys'), '/sys/fs/cgroup/sub'],
  ['a mount of another part', '0::/other\n', V2.replace(' / /sys', ' /docker/abc /sys'), null],
  ['version 1 alone', '8:pids:/\n', '1 2 0:1 / /sys/fs/cgroup/pids rw - cgroup cgroup rw', null],
])('finds its cgroup in %s', (_, cgroups, mounts, expected) => {
  expect(ownCgroup(cgroups, mounts)).toBe(expected);
});

test('the kernel gets the limits of an owner, and its counters show which run was refused what', () => {
  const parent = mkdtempSync(join(tmpdir(), 'animus-cgroup-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const owner = makeOwnerCgroup(parent, 'focus', true)!;
  owner.limit({ memoryBytes: 2 ** 30, processes: 100 });
  const written = (file: string) => readFileSync(join(parent, 'focus', file), 'utf8');
  expect(written('cgroup.subtree_control')).toBe('+memory +pids');
  expect([written('memory.max'), written('memory.swap.max'), written('pids.max')]).toEqual(['1073741824', '0', '100']);
  const run = owner.addRun('1')!;
  expect(written('1/memory.oom.group')).toBe('1');
  expect(run.refused()).toBeNull();
  writeFileSync(join(run.path, 'memory.events'), 'max 12\noom 1\noom_kill 3\n');
  expect(run.refused()).toBe('memory');
  writeFileSync(join(run.path, 'memory.events'), 'max 12\noom 0\noom_kill 0\n');
  writeFileSync(join(parent, 'focus', 'pids.events'), 'max 5\n');
  expect(run.refused()).toBe('processes');
});

test('without controllers it sets nothing, and without permission it creates no cgroup', () => {
  const parent = mkdtempSync(join(tmpdir(), 'animus-cgroup-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const owner = makeOwnerCgroup(parent, 'focus', false)!;
  owner.limit({ memoryBytes: 1, processes: 1 });
  mkdirSync(join(parent, 'focus', '1'));
  expect(owner.addRun('1')!.refused()).toBeNull();
  expect(makeOwnerCgroup('/no/such/place', 'focus', true)).toBeNull();
});

test('what cannot be removed when a run is over is removed before the next one', () => {
  const parent = mkdtempSync(join(tmpdir(), 'animus-cgroup-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const owner = makeOwnerCgroup(parent, 'focus', false)!;
  const run = owner.addRun('1')!;
  mkdirSync(join(run.path, 'busy'));
  run.remove();
  expect(owner.remove()).toBe(false);
  rmSync(join(run.path, 'busy'), { recursive: true });
  const next = owner.addRun('2')!;
  expect(existsSync(run.path)).toBe(false);
  next.remove();
  expect(owner.remove()).toBe(true);
});

test.skipIf(cgroupsHere() === 'none')(
  'cgroups of an owner in which a process was still dying are removed soon',
  async () => {
    const cgroups = createOwnerCgroups();
    onTestFinished(() => cgroups.close());
    const limits = { memoryBytes: 2 ** 30, processes: 100 };
    const { path } = cgroups.addRun('focus', '1', limits)!;
    const child = spawn('sleep', ['60'], { stdio: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
    writeFileSync(join(path, 'cgroup.procs'), String(child.pid));
    cgroups.remove('focus');
    expect(existsSync(path)).toBe(true);
    child.kill('SIGKILL');
    await eventually(
      () => existsSync(dirname(path)),
      (exists) => !exists,
    );
  },
);
