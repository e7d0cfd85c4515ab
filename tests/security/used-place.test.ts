/** Promise: commands that run in one prepared place, one after the other or at once, are as confined and as separate as if each had its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readlinkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually, processesWith } from '../process/live-processes.ts';
import { usersOf } from '../process/namespace-users.ts';
import { scratch, underRules, withSecrets } from './commands.ts';
import { ATTEMPTS } from './mount-attempts.ts';
import { hasNamespaces } from './scripted-focus.ts';

describe.skipIf(!hasNamespaces)('a place', () => {
  test('that was used a hundred times hides what it hid at first, from two commands at once', async () => {
    const { root, secret, run } = withSecrets();
    for (let round = 0; round < 20; round++) await Promise.all(Array.from({ length: 5 }, () => run(':')));
    const keepers = processesWith(root);
    expect(keepers).toHaveLength(1);
    const pairs = ATTEMPTS.map(([, script], index) => [script, ATTEMPTS[(index + 7) % ATTEMPTS.length]![1]]);
    for (const pair of pairs) {
      const ends = await Promise.all(pair.map((script) => run(`exec 2>&1; ${script}; echo it-ended`)));
      for (const { stdout, problem } of ends) {
        expect(problem).toBeNull();
        expect(stdout.text).not.toContain(secret);
        expect(stdout.text).toContain('it-ended');
      }
    }
    expect(processesWith(root)).toEqual(keepers);
  });

  test('passes nothing from one command to the next, or to another at the same time', async () => {
    const { run } = withSecrets();
    const left = `mount -t tmpfs none /mnt && touch /mnt/left; mount -t tmpfs none own && touch own/left
      mount -o remount,rw home; mount -t tmpfs none /proc/fs; umount -l /dev/shm; touch /dev/shm/left; ipcmk -M 4096 -S 1 -Q >/dev/null
      setsid sleep 300 & (setsid setsid sleep 300 &); exec 7>/dev/shm/lock; flock -n 7 && echo locked`;
    const look = `ls /mnt own /dev/shm; cat /proc/[0-9]*/comm | grep -c sleep; ipcs | grep -c '^0x'; exec 7>/dev/shm/lock; flock -n 7 && echo free; mount | grep -c /mnt`;
    const clean = (await run(look)).stdout.text;
    expect(clean).toContain('free');
    const [busy, beside] = await Promise.all([run(`${left}; sleep 1`), run(`sleep 0.5; ${look}`)]);
    expect(busy.stdout.text).toContain('locked');
    expect(beside.stdout.text).toBe(clean);
    expect((await run(look)).stdout.text).toBe(clean);
  });

  test('is made anew when what it hides was replaced, moved, or hidden by moving the directory above', async () => {
    const { root, secret, run } = withSecrets();
    const read = async () => (await run('cat keys/key home/db/data home/pass k2/key; ls home')).stdout.text;
    expect(await read()).toBe('own\n');
    writeFileSync(join(root, 'keys/new'), secret);
    renameSync(join(root, 'keys/new'), join(root, 'keys/key'));
    expect(await read()).toBe('own\n');
    renameSync(join(root, 'keys'), join(root, 'k1'));
    mkdirSync(join(root, 'keys'));
    writeFileSync(join(root, 'keys/key'), secret);
    expect(await read()).toBe('own\n');
    rmSync(join(root, 'home'), { recursive: true });
    mkdirSync(join(root, 'home/own'), { recursive: true });
    writeFileSync(join(root, 'home/pass'), secret);
    expect(await read()).toBe('own\n');
  });

  test('is made anew when a directory that it shows was replaced, or when a path of a rule appears', async () => {
    const root = scratch();
    const [own, fixed] = [join(root, 'home/own'), join(root, 'fixed')];
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, 'file'), 'first');
    const run = underRules(root, [
      { path: join(root, 'home'), access: 'hidden' },
      { path: own, access: 'all' },
      { path: fixed, access: 'read' },
    ]);
    expect((await run('cat home/own/file')).stdout.text).toBe('first');
    rmSync(own, { recursive: true });
    mkdirSync(own);
    writeFileSync(join(own, 'file'), 'second');
    mkdirSync(fixed);
    const { stdout } = await run('cat home/own/file; touch fixed/made; ls fixed; echo more > home/own/file');
    expect(stdout.text).toBe('second');
    expect((await underRules(root, [])('cat home/own/file')).stdout.text).toBe('more\n');
  });

  test('whose keeper is killed is made anew', async () => {
    const { root, run } = withSecrets();
    await run(':');
    const [keeper] = processesWith(root);
    process.kill(keeper!, 'SIGKILL');
    const { stdout, exitCode } = await run('cat keys/key; ls home');
    expect({ exitCode, said: stdout.text }).toEqual({ exitCode: 0, said: 'own\n' });
    expect(processesWith(root)).not.toContain(keeper);
  });

  test('is gone, with its namespaces and their mounts, when its daemon is killed between two commands', async () => {
    const root = scratch();
    mkdirSync(join(root, 'home'));
    const spec = { command: 'sh', args: ['-c', 'sleep 300 & ls home'], cwd: root, env: { PATH: '/usr/bin:/bin' } };
    const rules = { isolation: 'namespace', fileRules: [{ path: join(root, 'home'), access: 'hidden' }] };
    const daemon = spawn(process.execPath, ['--input-type=module', '-e', IDLE_DAEMON], {
      env: { SPEC: JSON.stringify({ ...spec, ...rules, owner: 'focus', timeoutMs: 60_000, maxOutputBytes: 1000 }) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void daemon.kill('SIGKILL'));
    expect(String(await once(daemon.stdout, 'data'))).toBe('exit 0\n');
    const keepers = processesWith(root).filter((pid) => pid !== daemon.pid);
    expect(keepers).toHaveLength(1);
    const namespaces = ['user', 'mnt'].map((kind) => readlinkSync(`/proc/${keepers[0]}/ns/${kind}`));
    daemon.kill('SIGKILL');
    await eventually(
      () => processesWith(root).length + usersOf(namespaces).length,
      (left) => left === 0,
    );
  });
});

/** Runs a command, says how it ended, and does nothing more. */
const IDLE_DAEMON = `
  const { createProcessHost } = await import(${JSON.stringify(new URL('../../src/process/host/supervised-host.ts', import.meta.url).href)});
  const { ended, exitCode } = await createProcessHost().run(JSON.parse(process.env.SPEC), new AbortController().signal);
  console.log(ended, exitCode);
  setInterval(() => {}, 1000);`;
