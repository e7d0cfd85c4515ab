/** Promise: if the host has cgroup v2, nothing outlives the call that started it, even without any isolation. */
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { makeCgroupPlace, removeCgroupPlace } from '../../src/process/limits/cgroup-place.ts';
import { eventually, processesWith } from '../process/live-processes.ts';
import { limitedRun } from './limited-run.ts';

const place = makeCgroupPlace();
if (place) removeCgroupPlace(place.path);
const base = place && dirname(place.path);

test.skipIf(place === null)('a process that leaves its session and removes every mark dies with its call', async () => {
  const { run, token } = limitedRun({ isolation: 'none', cgroups: true });
  // The call ends after the escape has succeeded; before, the process would be killed with its group.
  const result = await run(
    `d=$(mktemp -d); (setsid env -i /bin/sh -c ": >$d/free; while :; do /bin/sleep 0.1; : $0; done" &) ; until [ -e $d/free ]; do sleep 0.05; done; rm -r $d`,
  );
  expect(result).toMatchObject({ ended: 'exit', exitCode: 0 });
  expect(processesWith(token)).toEqual([]);
});

test.skipIf(place === null)('no cgroup is left when its supervisor has ended', async () => {
  const { host, run } = limitedRun({ isolation: 'none', cgroups: true });
  const { stdout } = await run('grep 0:: /proc/self/cgroup');
  const [own = ''] = /animus-[\d-]+/.exec(stdout.text) ?? [];
  expect(existsSync(join(base!, own))).toBe(true);
  await host.stop();
  expect(existsSync(join(base!, own))).toBe(false);
});

test.skipIf(place === null)(
  'processes and cgroups of a killed supervisor are killed and removed by the next one',
  async () => {
    // The name of a supervisor of this PID namespace that never existed: no process has such a late start time.
    const [, namespace] = /animus-(\d+)-/.exec(place!.path) ?? [];
    const left = join(base!, `animus-${namespace}-${process.pid}-99999999999`);
    mkdirSync(join(left, 'focus', '1'), { recursive: true });
    const { host, run } = limitedRun({ isolation: 'none', cgroups: true });
    await run('true');
    await host.stop();
    await eventually(
      () => readdirSync(base!).filter((name) => join(base!, name) === left),
      (names) => names.length === 0,
    );
  },
);
