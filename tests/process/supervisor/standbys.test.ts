/** Promise: it makes no difference to a command whether it was started for itself, or given to a process that waited for one. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createProcessHost } from '../../../src/process/host/supervised-host.ts';
import { cgroupsHere, ownCgroup } from '../../../src/process/limits/cgroup-place.ts';
import { DEFAULT_LIMITS } from '../../../src/process/limits/limits.ts';
import type { ProcessSpec } from '../../../src/process/process-host.ts';
import { namespaceRunner } from '../../../src/process/runners/namespace.ts';
import { closePlaces } from '../../../src/process/runners/place.ts';
import type { StartLine } from '../../../src/process/runners/runner.ts';
import { createStandbys } from '../../../src/process/supervisor/standbys.ts';
import { createSupervisor } from '../../../src/process/supervisor/supervisor.ts';
import type { FromSupervisor } from '../../../src/process/supervisor/supervisor-protocol.ts';
import { eventually, isAlive } from '../live-processes.ts';
import { childrenOf, nextStandby, waitingStandbys } from '../waiting-standbys.ts';

const works = (await namespaceRunner.examine()) === null;

const PATH = '/usr/sbin:/usr/bin:/sbin:/bin';
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

describe.skipIf(!works)('a command that was given to a standby', () => {
  test('gets its words, variables, directory and input as one that was started for itself', async () => {
    const { run, cwd } = setUp();
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
    const { run } = setUp();
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
    const { run } = setUp();
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
    const { run, cwd } = setUp();
    const hidden = join(cwd, 'hidden');
    symlinkSync('/nowhere', hidden);
    await run({ cwd });
    await nextStandby();
    expect(await run({ cwd: hidden })).toMatchObject({ ended: 'not_started' });
  });

  test('of another owner, with other limits or other rules, gets none of them', async () => {
    const { host, run, cwd } = setUp();
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
    const { run } = setUp();
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
    const { run } = setUp();
    await run({});
    const standby = await nextStandby();
    process.kill(shellOf(standby), 'SIGSTOP');
    const ended = run({ args: ['-c', 'cat; echo $$'], stdin: 'a text\n' });
    await sleep(300);
    process.kill(standby, 'SIGKILL');
    expect(await ended).toMatchObject({ ended: 'exit', exitCode: 0, problem: null, stdout: { text: 'a text\n3\n' } });
  });

  test('is not started again if it was ended before it began', async () => {
    const { host, run, cwd } = setUp();
    await run({});
    process.kill(shellOf(await nextStandby()), 'SIGSTOP');
    const ended = run({ args: ['-c', 'touch ran'] });
    await sleep(300);
    await host.killAll('focus');
    expect(await ended).toMatchObject({ ended: 'aborted' });
    expect(existsSync(join(cwd, 'ran'))).toBe(false);
  });
});

describe.skipIf(!works)('standbys', () => {
  test('end with their owner, and with their host', async () => {
    const { host, run } = setUp();
    await Promise.all([run({}), run({ owner: 'other' })]);
    const both = await eventually(waitingStandbys, (pids) => pids.length === 2);
    await host.killAll('focus');
    expect(both.filter(isAlive)).toHaveLength(1);
    await host.stop();
    expect(both.filter(isAlive)).toEqual([]);
  });

  test('are gone with all of their processes and cgroups when their owner was ended', async () => {
    const { host, run } = setUp();
    const owners = Array.from({ length: 12 }, (_, index) => `owner-${index}`);
    await Promise.all(owners.map((owner) => run({ owner })));
    const leaders = await eventually(waitingStandbys, (pids) => pids.length === owners.length);
    const all = leaders.flatMap((leader) => [leader, ...childrenOf(leader), shellOf(leader)]);
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
    const { run } = setUp();
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
    const { host, run } = setUp();
    host.setLimits('focus', { memoryBytes: 2 ** 30, processes: 50 });
    await run({});
    await run({ owner: 'other' });
    await nextStandby();
    expect(waitingStandbys()).toHaveLength(1);
  });
});

/** The shell at the gate of a standby. */
function shellOf(leader: number): number {
  return childrenOf(leader).flatMap(childrenOf)[0]!;
}

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

function setUp() {
  const host = createProcessHost({ graceMs: 200 });
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'animus-standby-')));
  onTestFinished(async () => {
    await host.stop();
    rmSync(cwd, { recursive: true });
  });
  const run = (more: Partial<ProcessSpec>) =>
    host.run(
      {
        owner: 'focus',
        command: 'sh',
        args: ['-c', ':'],
        cwd,
        env: { PATH },
        timeoutMs: 60_000,
        maxOutputBytes: 100_000,
        isolation: 'namespace',
        fileRules: [],
        ...more,
      },
      new AbortController().signal,
    );
  return { host, run, cwd };
}
