/** What a run gets and how it ends, whatever isolates it. */
import { tmpdir } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { createProcessHost } from '../../../src/process/host/supervised-host.ts';
import type { ProcessSpec } from '../../../src/process/process-host.ts';
import { isolationModes, startDirectory } from '../isolation-modes.ts';

const modes = await isolationModes();

function setUp() {
  const host = createProcessHost({ graceMs: 200 });
  onTestFinished(() => host.stop());
  const spec = (script: string, more: Partial<ProcessSpec> = {}): ProcessSpec => ({
    owner: 'focus',
    command: 'sh',
    args: ['-c', script],
    cwd: tmpdir(),
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
    timeoutMs: 60_000,
    maxOutputBytes: 1000,
    isolation: 'none',
    ...more,
  });
  const run = (script: string, more?: Partial<ProcessSpec>) =>
    host.run(spec(script, more), new AbortController().signal);
  return { host, run, spec };
}

test('reads what it is given, and without it an empty input', async () => {
  const { run } = setUp();
  expect(await run('cat', { stdin: 'given' })).toMatchObject({ exitCode: 0, stdout: { text: 'given' } });
  expect(await run('cat; echo end')).toMatchObject({ exitCode: 0, stdout: { text: 'end\n' } });
});

test('ends with its host, and is told why; the host starts none any more', async () => {
  const { host, run, spec } = setUp();
  const launched = host.launch({ ...spec('echo begun; exec sleep 300'), stdin: 'none' }, new AbortController().signal);
  await new Promise((begun) => launched.stdout.once('data', begun));
  await host.stop();
  expect(await launched.exited).toMatchObject({ ended: 'interrupted', problem: 'killed: the daemon stops' });
  expect(await run('true')).toMatchObject({ ended: 'unavailable', problem: 'the process host has been stopped' });
});

test.each(modes)(
  'has the variables of its environment and no other, also LC_ALL, with isolation %s',
  async (isolation) => {
    const { run } = setUp();
    const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8' };
    const seen = async (more: Record<string, string>) => {
      const cwd = startDirectory(isolation);
      const { stdout } = await run('env', { isolation, cwd, env: { ...env, ...more } });
      return stdout.text.split('\n').filter((line) => !/^(PATH|PWD|OLDPWD|SHLVL|_|ANIMUS_SPAWN_ID)=|^$/.test(line));
    };
    expect(await seen({})).toEqual(['LANG=C.UTF-8']);
    expect((await seen({ LC_ALL: "de'DE x" })).toSorted()).toEqual(['LANG=C.UTF-8', "LC_ALL=de'DE x"]);
  },
);
