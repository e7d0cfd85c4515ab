/** Promise: it makes no difference to a command whether it was started for itself, or given to a process that waited for one. */
import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { namespaceRunner } from '../../../src/process/runners/namespace.ts';
import { eventually, isAlive } from '../live-processes.ts';
import { PATH, withHost } from '../standby-host.ts';
import { undisturbed } from '../undisturbed.ts';
import { nextStandby, shellOf } from '../waiting-standbys.ts';

const works = (await namespaceRunner.examine()) === null;

const EVERY_BYTE = Array.from({ length: 255 }, (_, index) => String.fromCharCode(index + 1)).join('');
const WORDS = [
  EVERY_BYTE,
  'ÄÖ 日本語 🙂 \u0081\u0088',
  '\\n \\\\ \\c \\0101 %s %% $HOME `id` $(id) \'"\n\n end \n',
  '',
  ' lead',
  '\n',
  '\\',
  '-n',
  '--',
  'a=b',
  '*',
];

describe.skipIf(!works)('a command that was given to a standby', undisturbed(), () => {
  test('gets its words, variables, directory and input as one that was started for itself', async () => {
    const { run, cwd } = withHost();
    const shown = { args: ['-c', 'printf "%s\\0" "$@"; pwd | tr "\\n" "\\0"; env -0', 'sh', ...WORDS], cwd };
    const env = { PATH, A: WORDS[2]!, EMPTY: '', IFS: 'x', ENV: '/nowhere', LC_ALL: 'C.UTF-8' };
    const seen = async () => {
      const { stdout } = await run({ ...shown, env });
      return stdout.text.split('\0').filter((word) => !word.startsWith('ANIMUS_SPAWN_ID=') && !/^(_|IFS)=/.test(word));
    };
    const fresh = await seen();
    expect(fresh.slice(0, WORDS.length)).toEqual(WORDS);
    const standby = await nextStandby();
    expect((await seen()).toSorted()).toEqual(fresh.toSorted());
    expect(isAlive(standby)).toBe(false);
    await nextStandby();
    expect((await run({ args: ['-c', 'cat; exit 3'], stdin: 'a\ntext' })).stdout.text).toBe('a\ntext');
    await nextStandby();
    expect(await run({ args: ['-c', 'cat; exit 3'] })).toMatchObject({ exitCode: 3, stdout: { text: '' } });
    await nextStandby();
    expect(await run({ args: ['-c', 'kill -9 $$'] })).toMatchObject({ ended: 'exit', exitCode: 137 });
  });

  test('is its only one: nothing that it leaves behind is there for the next', async () => {
    const { run } = withHost();
    const look = {
      args: ['-c', 'ls /dev/shm; set -- /proc/[0-9]*; echo $#; ipcs | grep -c "^0x"; mount | grep -c /mnt; id'],
    };
    const leave = `mount -t tmpfs none /mnt; touch /dev/shm/left; ipcmk -M 4096 >/dev/null; setsid sleep 300 & exit 0`;
    const clean = (await run(look)).stdout.text;
    const used: number[] = [];
    for (let round = 0; round < 3; round++) {
      used.push(await nextStandby(used));
      await run({ args: ['-c', leave] });
      used.push(await nextStandby(used));
      expect((await run(look)).stdout.text).toBe(clean);
    }
    expect(used.filter(isAlive)).toEqual([]);
  });

  test('is told nothing that is too long, or has other names than a shell knows: it is started for itself', async () => {
    const { run } = withHost();
    await run({});
    const standby = await nextStandby();
    const long = 'x'.repeat(20_000);
    expect((await run({ args: ['-c', 'printf %s "$1"', 'sh', long] })).stdout.text).toBe(long);
    const many = Array.from({ length: 200 }, () => 'x');
    expect((await run({ args: ['-c', 'echo $#', 'sh', ...many] })).stdout.text).toBe('200\n');
    await run({ env: { PATH, 'a.b': '1' } });
    expect(isAlive(standby)).toBe(true);
    await run({});
    expect(isAlive(standby)).toBe(false);
  });

  test('in a directory that is gone or cannot be entered does not start', async () => {
    const { run, cwd } = withHost();
    const hidden = join(cwd, 'hidden');
    symlinkSync('/nowhere', hidden);
    await run({ cwd });
    await nextStandby();
    expect(await run({ cwd: hidden })).toMatchObject({ ended: 'not_started' });
  });

  test('of another owner, with other limits or other rules, gets none of them', async () => {
    const { host, run, cwd } = withHost();
    await run({});
    const standby = await nextStandby();
    await run({ owner: 'other' });
    await run({ fileRules: [{ path: cwd, access: 'read' }] });
    expect(isAlive(standby)).toBe(true);
    host.setLimits('focus', { memoryBytes: 300 * 2 ** 20, processes: 1024 });
    const { stdout } = await run({ args: ['-c', 'df --output=size -B1 /dev/shm | tail -n 1'] });
    expect(Number(stdout.text)).toBe(300 * 2 ** 20);
    host.setLimits('focus', { memoryBytes: 2 * 2 ** 30, processes: 500 });
    await run({});
    expect(isAlive(standby)).toBe(true);
  });

  test('does not meet one that was killed', async () => {
    const { run } = withHost();
    await run({});
    const standby = await nextStandby();
    process.kill(standby, 'SIGKILL');
    await eventually(
      () => isAlive(standby),
      (alive) => !alive,
    );
    expect(await run({ args: ['-c', 'echo said'] })).toMatchObject({ exitCode: 0, stdout: { text: 'said\n' } });
  });

  test('is started for itself if the standby is killed before the command began', async () => {
    const { run } = withHost();
    await run({});
    const standby = await nextStandby();
    process.kill(shellOf(standby)!, 'SIGSTOP');
    const ended = run({ args: ['-c', 'cat; echo $$'], stdin: 'a text\n' });
    await taken(run);
    process.kill(standby, 'SIGKILL');
    expect(await ended).toMatchObject({ ended: 'exit', exitCode: 0, problem: null, stdout: { text: 'a text\n3\n' } });
  });

  test('is not started again if it was ended before it began', async () => {
    const { host, run, cwd } = withHost();
    await run({});
    process.kill(shellOf(await nextStandby())!, 'SIGSTOP');
    const ended = run({ args: ['-c', 'touch ran'] });
    await taken(run);
    await host.killAll('focus');
    expect(await ended).toMatchObject({ ended: 'aborted' });
    expect(existsSync(join(cwd, 'ran'))).toBe(false);
  });
});

/** A supervisor takes a standby when it is told to run a command, and it is told one after the other. */
async function taken(run: ReturnType<typeof withHost>['run']): Promise<void> {
  expect(await run({ owner: 'other' })).toMatchObject({ exitCode: 0 });
}
