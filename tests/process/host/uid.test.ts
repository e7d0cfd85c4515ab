/** What `uid` promises against a malicious command; runs only as root. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createProcessHost } from '../../../src/process/host/supervised-host.ts';
import { describeIsolation, examineIsolation } from '../../../src/process/isolation.ts';
import type { ProcessSpec } from '../../../src/process/process-host.ts';
import { isolationModes, startDirectory } from '../isolation-modes.ts';
import { eventually, processesWith } from '../live-processes.ts';

const modes = await isolationModes();

describe.skipIf(!modes.includes('uid'))('a command as another user', () => {
  test('runs as the owner of its directory, without privileges and without a way to get any', async () => {
    const { run } = setUp();
    const { stdout } = await run(
      'id -u; id -G; grep -E "^(Cap|NoNewPrivs)" /proc/self/status; stat -c %u .; touch mine',
    );
    const [uid, groups, ...rest] = stdout.text.trim().split('\n');
    expect(Number(uid)).toBeGreaterThan(1_900_000_000 - 1);
    expect(groups).toBe(uid);
    expect(rest.pop()).toBe(uid);
    expect(rest.filter((line) => line.startsWith('Cap')).every((line) => /\t0+$/.test(line))).toBe(true);
    expect(rest).toContain('NoNewPrivs:\t1');
  });

  test('reads neither environment, memory nor private files of the daemon, and cannot signal it', async () => {
    const { run } = setUp();
    const secrets = mkdtempSync(join(tmpdir(), 'animus-secret-'));
    onTestFinished(() => rmSync(secrets, { recursive: true }));
    writeFileSync(join(secrets, 'password'), 'geheim', { mode: 0o600 });
    chmodSync(secrets, 0o711);
    const { stdout } = await run(
      `for p in ${process.pid} ${process.ppid} $PPID; do
         cat /proc/$p/environ; head -c 10 /proc/$p/mem; cat /proc/$p/maps; ls /proc/$p/fd /proc/$p/root
         kill -0 $p && echo reached; kill -9 $p && echo killed
       done 2>/dev/null
       cat ${secrets}/password; ls ${secrets}; su -c id; echo end`,
    );
    expect(stdout.text).toBe('end\n');
  });

  test('leaves nothing behind when its owner ends, even processes that removed every mark', async () => {
    // Without cgroups, which would kill it at the end of its call.
    const { host, run } = setUp({ cgroups: false });
    const token = randomUUID();
    // Its leader ends after the rest has another session and an environment without the marker; otherwise it would be killed with the leader.
    await run(
      `setsid env -i sh -c ': >free; while :; do sleep 0.2; : ${token}; done' & until [ -e free ]; do sleep 0.05; done`,
    );
    await eventually(
      () => processesWith(token).length,
      (count) => count > 0,
    );
    await host.killAll('focus');
    // A busy kernel takes a moment to end what has been killed.
    await eventually(
      () => processesWith(token).length,
      (count) => count === 0,
    );
  });

  test('leaves other processes of its user alone, unless animus gave that user to its directory', async () => {
    // As with accounts of a company's directory, which may be in any range; or the focus of another daemon.
    const taken = startDirectory('uid');
    const { uid } = statSync(taken);
    const other = mkdtempSync(join(tmpdir(), 'animus-account-'));
    onTestFinished(() => rmSync(other, { recursive: true }));
    chownSync(other, uid, uid);
    const token = randomUUID();
    const bystander = spawn('sh', ['-c', `while :; do sleep 0.2; : ${token}; done`], {
      uid,
      gid: uid,
      stdio: 'ignore',
    });
    onTestFinished(() => void bystander.kill('SIGKILL'));
    const { host, run } = setUp();
    expect((await run('id -u', { cwd: other })).stdout.text).toBe(`${uid}\n`);
    await host.killAll('focus');
    expect(processesWith(token)).toContain(bystander.pid);
    // In the directory that has the user, everything of the user belongs to the focus.
    expect((await run('id -u', { cwd: taken })).stdout.text).toBe(`${uid}\n`);
    await host.killAll('focus');
    await eventually(
      () => processesWith(token).length,
      (count) => count === 0,
    );
  });

  test('is refused if root owns the directory, with advice', async () => {
    const { run } = setUp();
    const directory = mkdtempSync(join(tmpdir(), 'animus-root-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const result = await run('true', { cwd: directory });
    expect(result).toMatchObject({
      ended: 'not_started',
      problem: expect.stringContaining(`chown -R USER ${directory}`),
    });
  });

  test('cannot access another focus', async () => {
    const [one, other] = [setUp(), setUp()];
    const token = randomUUID();
    writeFileSync(join(one.cwd, 'notes'), 'mine', { mode: 0o600 });
    const abort = new AbortController();
    const running = one.run(`sleep 300; : ${token}`, {}, abort.signal);
    const [pid] = await eventually(
      () => processesWith(token),
      (pids) => pids.length > 0,
    );
    const { stdout } = await other.run(
      `cat ${one.cwd}/notes; kill -9 ${pid} && echo killed; cat /proc/${pid}/environ; kill -9 -1`,
    );
    expect(stdout.text).toBe('');
    expect(processesWith(token)).not.toEqual([]);
    abort.abort();
    await running;
  });
});

test('reports what this host can do and why not more, and what each isolation protects', async () => {
  const { best, missing } = await examineIsolation();
  expect(best).toBe(modes.includes('namespace') ? 'namespace' : modes.at(-1));
  for (const mode of ['uid', 'namespace'] as const) expect(missing[mode] === undefined).toBe(modes.includes(mode));
  expect(describeIsolation('none')).toContain('only against accidents');
  expect(describeIsolation('uid')).toContain('another user');
});

test.skipIf(!modes.includes('uid') || modes.includes('namespace'))(
  'with a home that other users cannot enter, only none is left',
  async () => {
    const above = mkdtempSync(join(tmpdir(), 'animus-closed-'));
    onTestFinished(() => rmSync(above, { recursive: true }));
    mkdirSync(join(above, 'home'));
    const { best, missing } = await examineIsolation(join(above, 'home'));
    expect(best).toBe('none');
    expect(missing.uid).toContain(`other users cannot enter ${above} (mode 0700); set ANIMUS_HOME`);
  },
);

function setUp(options: { readonly cgroups?: boolean } = {}) {
  const host = createProcessHost({ graceMs: 200, ...options });
  onTestFinished(() => host.stop());
  const cwd = startDirectory('uid');
  const run = (script: string, spec: Partial<ProcessSpec> = {}, signal = new AbortController().signal) =>
    host.run(
      {
        owner: 'focus',
        command: 'sh',
        args: ['-c', script],
        cwd,
        env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
        timeoutMs: 20_000,
        maxOutputBytes: 100_000,
        isolation: 'uid',
        ...spec,
      },
      signal,
    );
  return { host, run, cwd };
}

test('a home that other users cannot enter is why commands cannot run as another user', async () => {
  const root = mkdtempSync(join(tmpdir(), 'animus-home-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  chmodSync(root, 0o700);
  const { missing } = await examineIsolation(join(root, 'home'));
  expect(missing.uid).toBeDefined();
  if (modes.includes('uid'))
    expect(missing.uid).toBe(
      `other users cannot enter ${root} (mode 0700); set ANIMUS_HOME to a path that they can reach, such as /var/lib/animus`,
    );
});
