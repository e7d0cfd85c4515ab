/** Promise: a command that uses more memory than its focus may is stopped with all its processes, and the reason is reported. */
import { describe, expect, test } from 'vitest';
import { processesWith } from '../process/live-processes.ts';
import { LIMITS, limitedModes, limitedRun } from './limited-run.ts';

const modes = await limitedModes();
const EXCESS = 'it used more than 200 MiB of memory (max_memory_mib)';

/** `tail` keeps the line that it reads in memory, and holds it for a while, so that it can be measured. */
const hold = (mib: number) => `{ head -c ${mib}M /dev/zero; sleep 8; } | tail -n 1 >/dev/null`;

describe.skipIf(modes.length === 0).each(modes)('in isolation $isolation, cgroups: $cgroups', (mode) => {
  test('one process that uses too much is stopped', async () => {
    const { run, token } = limitedRun(mode);
    expect(await run(hold(800))).toMatchObject({ ended: 'limit', problem: EXCESS });
    expect(processesWith(token)).toEqual([]);
  });

  test('many that use too much together are stopped, even in several sessions', async () => {
    const { run, token } = limitedRun(mode);
    const script = `for i in 1 2 3 4 5 6; do setsid bash -c '${hold(50)}' $0 & done; wait`;
    expect(await run(script)).toMatchObject({ ended: 'limit', problem: EXCESS });
    expect(processesWith(token)).toEqual([]);
  });
});

test.skipIf(modes.length === 0)('memory that processes share counts once', async () => {
  const { run } = limitedRun({ isolation: 'none', cgroups: false });
  const script = `text=$(head -c 60M /dev/zero | tr '\\0' x); for i in 1 2 3 4 5 6; do (sleep 1.5) & done; wait; echo \${#text}`;
  expect(await run(script)).toMatchObject({ ended: 'exit', stdout: { text: `${60 * 2 ** 20}\n` } });
});

test.skipIf(modes.length === 0)(
  'several runs of a focus share its limits, and the one that uses most is stopped',
  async () => {
    const { run } = limitedRun({ isolation: 'none', cgroups: false });
    const abort = new AbortController();
    const modest = run(hold(70), abort.signal);
    const greedy = await run(hold(170));
    expect(greedy).toMatchObject({
      ended: 'limit',
      problem: expect.stringContaining('the commands of this focus together') as string,
    });
    abort.abort();
    expect(await modest).toMatchObject({ ended: 'aborted' });
  },
);

test.skipIf(modes.length === 0)('the usage of another focus does not count', async () => {
  const { host, run } = limitedRun({ isolation: 'none', cgroups: false });
  host.setLimits('other', { ...LIMITS, memoryBytes: 2 ** 30 });
  const spec = {
    owner: 'other',
    command: 'bash',
    cwd: '/tmp',
    env: { PATH: '/usr/bin:/bin' },
    isolation: 'none' as const,
  };
  const abort = new AbortController();
  const other = host.run({ ...spec, args: ['-c', hold(300)], timeoutMs: 20_000, maxOutputBytes: 100 }, abort.signal);
  expect(await run('sleep 1; echo fine')).toMatchObject({ ended: 'exit', stdout: { text: 'fine\n' } });
  abort.abort();
  expect(await other).toMatchObject({ ended: 'aborted' });
});
