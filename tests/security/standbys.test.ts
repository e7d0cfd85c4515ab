/**
 * Promise: a process that waits for a command (a standby) is as confined as one that is started for it, is never used under other rules than those it was
 * prepared for, passes nothing on, and outlives neither its daemon nor its supervisor.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readlinkSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { FileRule } from '../../src/process/file-rules.ts';
import { createProcessHost } from '../../src/process/host/supervised-host.ts';
import { systemProgram } from '../../src/process/runners/start-gate.ts';
import { eventually, isAlive, processesWith } from '../process/live-processes.ts';
import { usersOf } from '../process/namespace-users.ts';
import { undisturbed } from '../process/undisturbed.ts';
import { childrenOf, nextStandby } from '../process/waiting-standbys.ts';
import { scratch, withSecrets } from './commands.ts';
import { ATTEMPTS } from './mount-attempts.ts';
import { hasNamespaces } from './scripted-focus.ts';

describe.skipIf(!hasNamespaces)('a standby', undisturbed(), () => {
  test('of a place that was used a hundred times hides what it hid at first, also beside a command that was started for itself', async () => {
    const { secret, run } = withSecrets();
    for (let round = 0; round < 20; round++) await Promise.all(Array.from({ length: 5 }, () => run(':')));
    const used: number[] = [];
    for (const [index, [, script]] of ATTEMPTS.entries()) {
      used.push(await nextStandby(used));
      const beside = ATTEMPTS[(index + 7) % ATTEMPTS.length]![1];
      const ends = await Promise.all([script, beside].map((each) => run(`exec 2>&1; ${each}; echo it-ended`)));
      for (const { stdout, problem } of ends) {
        expect(problem).toBeNull();
        expect(stdout.text).not.toContain(secret);
        expect(stdout.text).toContain('it-ended');
      }
    }
    expect(used.filter(isAlive)).toEqual([]);
  });

  test('that was prepared before a rule changed is not used: a file that is hidden since then stays hidden', async () => {
    const { root, run } = ruled();
    mkdirSync(join(root, 'keys'));
    for (const name of ['one', 'two']) writeFileSync(join(root, 'keys', name), 'geheim');
    const hidden = (name: string) => ({ path: join(root, 'keys', name), access: 'hidden' }) as const;
    expect(await run([hidden('one')], 'cat keys/*')).toBe('geheim');
    const standby = await nextStandby();
    expect(await run([hidden('one'), hidden('two')], 'cat keys/*')).toBe('');
    expect(isAlive(standby)).toBe(true);
    expect(await run([hidden('one')], 'cat keys/*')).toBe('geheim');
    expect(isAlive(standby)).toBe(false);
  });

  test('is not used after what it hides was replaced, or moved with the directory above', async () => {
    const { root, run } = ruled();
    for (const name of ['keys', 'home']) mkdirSync(join(root, name));
    for (const name of ['keys/key', 'home/pass']) writeFileSync(join(root, name), 'geheim');
    const rules = ['keys/key', 'home'].map((name) => ({ path: join(root, name), access: 'hidden' }) as const);
    const read = () => run(rules, 'cat keys/key k1/key home/pass');
    const changes = [
      () => {
        writeFileSync(join(root, 'keys/new'), 'geheim');
        renameSync(join(root, 'keys/new'), join(root, 'keys/key'));
      },
      () => {
        renameSync(join(root, 'home'), join(root, 'old'));
        mkdirSync(join(root, 'home'));
        writeFileSync(join(root, 'home/pass'), 'geheim');
      },
    ];
    expect(await read()).toBe('');
    const used: number[] = [];
    for (const change of changes) {
      used.push(await nextStandby(used));
      change();
      expect(await read()).toBe('');
      // Used ones would have ended.
      expect(used.filter(isAlive)).toEqual(used);
    }
  });

  test('whose mounts are not what they were when it began to wait is not used', async () => {
    const { run } = ruled();
    const look = 'mount | grep -c " /mnt "';
    const whole = await run([], look);
    const standby = await nextStandby();
    const [shell] = childrenOf(standby).flatMap(childrenOf);
    const inside = ['--target', String(shell), '--user', '--mount', '--preserve-credentials'];
    execFileSync(systemProgram('nsenter')!, [...inside, 'mount', '-t', 'tmpfs', 'none', '/mnt']);
    expect(await run([], look)).toBe(whole);
    await eventually(
      () => isAlive(standby),
      (alive) => !alive,
    );
  });

  test('is whole after a command that filled its shared memory and reached its limit of processes', async () => {
    const { host, run } = ruled();
    host.setLimits('focus', { memoryBytes: 64 * 2 ** 20, processes: 150 });
    const look =
      'df --output=avail /dev/shm | tail -n 1; ls -A /dev/shm; for n in $(seq 60); do sleep 5 & done; jobs -p | wc -l; ipcs -m | grep -c "^0x"';
    const whole = await run([], look);
    const fills = [
      'head -c 100M /dev/zero > /dev/shm/all; for n in $(seq 1000); do : > /dev/shm/$n; done; exit 0',
      'for n in $(seq 400); do sleep 30 & done; wait',
      'while ipcmk -M 1048576 >/dev/null; do :; done',
    ];
    const used: number[] = [];
    for (const fill of fills) {
      used.push(await nextStandby(used));
      await run([], fill);
      used.push(await nextStandby(used));
      expect(await run([], look)).toBe(whole);
    }
    expect(whole).toContain('\n60\n');
  });

  test('ends with its place', async () => {
    const { root, run } = withSecrets();
    await run(':');
    const standby = await nextStandby();
    const [keeper] = processesWith(root);
    process.kill(keeper!, 'SIGKILL');
    await eventually(
      () => isAlive(standby),
      (alive) => !alive,
    );
  });

  test('and all that is prepared is gone when daemon and supervisor are killed at the same random moment', async () => {
    for (let attempt = 0; attempt < 8; attempt++) {
      const root = scratch();
      const daemon = spawn(process.execPath, ['--input-type=module', '-e', BUSY_DAEMON], {
        env: { ROOT: root },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      onTestFinished(() => void daemon.kill('SIGKILL'));
      await once(daemon.stdout, 'data');
      const [supervisor] = childrenOf(daemon.pid!);
      const namespaces = await eventually(
        () => placesOf(processesWith(root).filter((pid) => pid !== daemon.pid)),
        (found) => found.length > 0,
      );
      await sleep(Math.random() * 100);
      process.kill(daemon.pid!, 'SIGSTOP');
      process.kill(supervisor!, 'SIGKILL');
      daemon.kill('SIGKILL');
      await eventually(
        () => usersOf(namespaces),
        (left) => left.length === 0,
      );
    }
  });
});

/** The user and mount namespaces of these processes that are not those of the host, such as those of a keeper that has just been forked. */
function placesOf(pids: readonly number[]): string[] {
  const all = pids.flatMap((pid) => ['user', 'mnt'].map((kind) => [kind, namespaceOf(pid, kind)] as const));
  return all.flatMap(([kind, found]) => (found === null || found === namespaceOf(process.pid, kind) ? [] : [found]));
}

function namespaceOf(pid: number, kind: string): string | null {
  try {
    return readlinkSync(`/proc/${pid}/ns/${kind}`);
  } catch {
    return null;
  }
}

/** Runs one command after the other. */
const BUSY_DAEMON = `
  const { createProcessHost } = await import(${JSON.stringify(new URL('../../src/process/host/supervised-host.ts', import.meta.url).href)});
  const host = createProcessHost();
  const { ROOT } = process.env;
  const spec = { command: 'sh', args: ['-c', 'sleep 300 & exit 0'], cwd: '/', env: { PATH: '/usr/bin:/bin' }, isolation: 'namespace',
    fileRules: [{ path: ROOT, access: 'hidden' }], owner: 'focus', timeoutMs: 60_000, maxOutputBytes: 1000 };
  for (;;) {
    const { exitCode } = await host.run(spec, new AbortController().signal);
    if (exitCode === 0) console.log('ran');
  }`;

/** Runs scripts under changing rules, for one focus. Resolves to what they print. */
function ruled() {
  const root = scratch();
  const host = createProcessHost({ graceMs: 200 });
  onTestFinished(() => host.stop());
  const run = async (fileRules: readonly FileRule[], script: string) => {
    const spec = {
      owner: 'focus',
      command: 'bash',
      args: ['-c', script],
      cwd: root,
      timeoutMs: 60_000,
      maxOutputBytes: 10_000,
    };
    const env = { PATH: '/usr/bin:/bin' };
    const ended = await host.run({ ...spec, env, isolation: 'namespace', fileRules }, new AbortController().signal);
    return ended.stdout.text;
  };
  return { root, host, run };
}
