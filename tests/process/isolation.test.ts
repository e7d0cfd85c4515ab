/** What `namespace` promises against a malicious command, and what file rules hide. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createProcessHost } from '../../src/process/host/supervised-host.ts';
import { detectIsolation } from '../../src/process/isolation.ts';
import type { ProcessLimits } from '../../src/process/limits/limits.ts';
import type { ProcessSpec } from '../../src/process/process-host.ts';

const best = await detectIsolation();

describe.skipIf(best !== 'namespace')('a command in namespaces', () => {
  test('sees no process but its own', async () => {
    const run = setUp();
    const { stdout } = await run('for p in /proc/[0-9]*; do cat $p/cmdline 2>/dev/null | tr "\\0" " "; echo; done');
    expect(stdout.text).toContain('for p in');
    expect(stdout.text).not.toContain('vitest');
    expect(stdout.text).not.toContain('supervisor-main');
  });

  test('cannot uncover the /proc of the host, or mount its own again', async () => {
    const run = setUp();
    const { stdout, stderr } = await run(
      `umount /proc; umount -l /proc; mkdir -p /tmp/p; mount -t proc none /tmp/p
       unshare -Urm sh -c 'umount /proc; umount -l /proc'; cat /proc/*/cmdline | tr '\\0' ' '`,
    );
    expect(stdout.text).not.toContain('supervisor-main');
    expect(stderr.text).not.toBe('');
  });

  test('cannot signal the daemon', async () => {
    const run = setUp();
    const { stdout } = await run(`kill -0 ${process.pid} && echo reached; kill -0 ${process.ppid} && echo reached`);
    expect(stdout.text).toBe('');
  });

  test('runs as the same user as outside, and owns the same files', async () => {
    const run = setUp();
    const directory = await mkdtemp(join(tmpdir(), 'animus-own-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const { stdout } = await run(`id -u; id -g; touch file; stat -c %u file`, { cwd: directory });
    expect(stdout.text).toBe(`${process.getuid?.()}\n${process.getgid?.()}\n${process.getuid?.()}\n`);
  });

  test('cannot open hidden files, or uncover them', async () => {
    const run = setUp();
    const directory = await mkdtemp(join(tmpdir(), 'animus-hide-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    await mkdir(join(directory, 'private'));
    await writeFile(join(directory, 'private/key'), 'geheim');
    await writeFile(join(directory, "pass' word"), 'geheim');
    const fileRules = [join(directory, 'private'), join(directory, "pass' word")].map((path) => ({
      path,
      access: 'hidden' as const,
    }));
    const { stdout, exitCode } = await run(
      `uncover() { for f in private "pass' word"; do umount "$PWD/$f"; umount -l "$PWD/$f"; done; cat private/key "pass' word"; }
       uncover; unshare -Urm sh -c "$(declare -f uncover); uncover"
       mkdir m; mount --bind . m; cat m/private/key "m/pass' word"; mount --rbind . m; cat m/private/key "m/pass' word"
       cat /proc/1/root$PWD/private/key /proc/1/cwd/private/key; mv private elsewhere; cat elsewhere/key
       ln "pass' word" linked; cat linked; nsenter -t 1 -m -U cat private/key; echo end`,
      { command: 'bash', cwd: directory, fileRules },
    );
    expect(exitCode).toBe(0);
    expect(stdout.text).toBe('end\n');
    const open = await run('cat private/key', { cwd: directory });
    expect(open.stdout.text).toBe('geheim');
  });

  test('that kills everything it can reach kills only itself', async () => {
    const run = setUp();
    expect(await run('kill -9 -1; sleep 300', { timeoutMs: 500 })).toMatchObject({
      ended: expect.stringMatching(/exit|timeout/),
    });
    expect(await run('echo alive')).toMatchObject({ stdout: { text: 'alive\n' } });
  });

  test('that forks endlessly is gone after its time-out', async () => {
    // It doubles ten times a second, and the limit is far above what it reaches until its time-out: other tests need the machine, too.
    const run = setUp({ memoryBytes: 2 ** 30, processes: 2000 });
    // The shell itself must stay: with `wait` it ended as soon as its own two children had, on a fast machine before the time-out.
    const bomb = 'f() { sleep 0.1; f & f & }; f; exec sleep 300';
    // Whichever is detected first: the time-out, or the number of processes.
    const { ended } = await run(bomb, { command: 'bash', timeoutMs: 500 });
    expect(['timeout', 'limit']).toContain(ended);
    expect(await run('echo alive')).toMatchObject({ stdout: { text: 'alive\n' } });
  });
});

function setUp(limits: ProcessLimits | null = null) {
  const host = createProcessHost({ graceMs: 200 });
  if (limits !== null) host.setLimits('focus', limits);
  onTestFinished(() => host.stop());
  return (script: string, spec: Partial<ProcessSpec> = {}) =>
    host.run(
      {
        owner: 'focus',
        command: 'sh',
        args: ['-c', script],
        cwd: tmpdir(),
        env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
        timeoutMs: 20_000,
        maxOutputBytes: 100_000,
        isolation: 'namespace',
        ...spec,
      },
      new AbortController().signal,
    );
}
