/** Commands of `bash` in the container of a focus: what they see, how they end, and that nothing of them is left. On a real engine. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { bashBench } from './bash-bench.ts';
import { missingEngine, testHost } from './containers.ts';

const missing = missingEngine();
/** The commands that run in the container, but for its first process and the one that lists them. */
const OTHERS = `for p in /proc/[0-9]*; do read -r a b < $p/stat && case $b in *sleep*) echo "\${b%%)*})"; esac; done 2>/dev/null; true`;

describe.skipIf(missing !== null)(`bash in a container${missing === null ? '' : ` (skipped: ${missing})`}`, () => {
  const { host, left, stop } = testHost();
  afterAll(async () => {
    await stop();
    expect(await left()).toEqual([]);
  });

  test('sees the workspace at its path, the image, and nothing of the host or the daemon', async () => {
    process.env['ANIMUS_TEST_SECRET'] = 'geheim';
    const { run, workspace, user } = bashBench(host);
    const { ended, stdout } = await run(
      'pwd; id -u; env; ls /home /root; cat /etc/hostname; touch made; echo $BASH_VERSION',
    );
    delete process.env['ANIMUS_TEST_SECRET'];
    expect(ended).toBe('exit');
    expect(stdout.text.startsWith(`${workspace}\n${user}\n`)).toBe(true);
    expect(stdout.text).not.toContain('geheim');
    const names = stdout.text.split('\n').flatMap((line) => /^([A-Za-z_]\w*)=/.exec(line)?.[1] ?? []);
    const known = ['PATH', 'HOME', 'HOSTNAME', 'PWD', 'OLDPWD', 'SHLVL', '_', 'ANIMUS_SPAWN_ID', 'ANIMUS_EXEC', 'LANG'];
    expect(names.filter((name) => !known.includes(name) && !/^(GPG_KEY|PYTHON_)/.test(name))).toEqual([]);
    expect(statSync(join(workspace, 'made'))).toMatchObject({ uid: user, gid: user });
  });

  test('keeps both streams apart, and reports exit codes and signals as a shell does', async () => {
    const { run } = bashBench(host);
    expect(await run('echo out; echo err >&2; exit 3')).toMatchObject({
      ended: 'exit',
      exitCode: 3,
      stdout: { text: 'out\n' },
      stderr: { text: 'err\n' },
    });
    expect(await run('kill -9 $$')).toMatchObject({ ended: 'exit', exitCode: 137, stderr: { text: '' } });
    expect(await run('no-such-program')).toMatchObject({ exitCode: 127 });
    const { stdout } = await run('head -c 3000000 /dev/zero | tr "\\0" x; echo end');
    expect(stdout).toMatchObject({ bytes: 3_000_004, truncated: true });
    expect(stdout.text.endsWith('xend\n')).toBe(true);
  });

  test('streams the output while the command runs', async () => {
    const { launch } = bashBench(host);
    const command = launch('echo first; until [ -e go ]; do sleep 0.05; done; echo second');
    let seen = '';
    command.stdout.setEncoding('utf8').on('data', (text: string) => (seen += text));
    command.stderr.resume();
    await eventually('the first line', () => (seen === 'first\n' ? true : null));
    const end = command.stop();
    expect(await end).toMatchObject({ ended: 'aborted' });
    expect(seen).toBe('first\n');
  });

  test('leaves nothing behind when a command ends: children, other sessions, removed marks', async () => {
    const { run } = bashBench(host);
    await run(
      'sleep 300 & setsid sleep 300 & (env -i setsid sleep 300 &) ; (setsid setsid sh -c "sleep 300 & sleep 300" &)',
    );
    expect((await run(OTHERS)).stdout.text).toBe('');
  });

  test('a time-out ends everything that a command has started, and the container goes on', async () => {
    const { run, workspace } = bashBench(host);
    await run('echo kept > /tmp/kept');
    const polite = await run('trap "echo bye; exit" TERM; echo up; while :; do sleep 0.05; done', { timeoutMs: 1500 });
    expect(polite).toMatchObject({ ended: 'timeout', stdout: { text: 'up\nbye\n' } });
    const stubborn =
      'trap "" TERM; (trap "" TERM; setsid sh -c "while :; do sleep 0.1; echo x >> alive; done" &); sleep 300';
    expect(await run(stubborn, { timeoutMs: 1500 })).toMatchObject({ ended: 'timeout' });
    const before = readFileSync(join(workspace, 'alive'), 'utf8');
    expect((await run(`cat /tmp/kept; ${OTHERS}`)).stdout.text).toBe('kept\n');
    expect(readFileSync(join(workspace, 'alive'), 'utf8')).toBe(before);
  });

  test('a fork bomb is bounded, ended, and harms no other command for good', async () => {
    const { run, launch } = bashBench(host);
    const other = launch('while :; do echo tick; sleep 0.1; done');
    let ticks = 0;
    other.stdout.on('data', () => (ticks += 1));
    other.stderr.resume();
    const bomb = await run('bomb() { bomb | bomb & }; bomb; sleep 300', { timeoutMs: 6000 });
    expect(bomb).toMatchObject({ ended: 'timeout', problem: expect.stringContaining('limit of processes') as string });
    expect((await run('echo alive')).stdout.text).toBe('alive\n');
    const before = ticks;
    await eventually('it still ticks', () => (ticks > before ? true : null));
    await other.stop();
  });

  test('memory is bounded, and a command that is killed for it gets the reason', async () => {
    const { run } = bashBench(host);
    const hog = await run('python3 -c "b = bytearray(10**9); print(len(b))"');
    expect(hog).toMatchObject({ ended: 'limit', problem: expect.stringContaining('memory_mib') as string });
    const full = await run('head -c 1G /dev/zero > /tmp/full || head -c 1G /dev/zero > /var/tmp/full; ls -s /tmp/full');
    expect(full.stdout.text).not.toMatch(/^10\d{5}/m);
    expect((await run('rm -f /tmp/full /var/tmp/full; echo alive')).stdout.text).toBe('alive\n');
  });

  test('commands in parallel do not end each other', async () => {
    const { run } = bashBench(host);
    const lines = Array.from(
      { length: 6 },
      (_, index) => `(setsid sleep 300 &); sleep 0.${index}; echo ${index}; exit ${index}`,
    );
    const results = await Promise.all(lines.map((line) => run(line)));
    expect(results.map(({ ended, exitCode, stdout }) => [ended, exitCode, stdout.text])).toEqual(
      lines.map((_, index) => ['exit', index, `${index}\n`]),
    );
    expect((await run(OTHERS)).stdout.text).toBe('');
  });

  test('a background command lives on beside others, with what it has started, until it is stopped', async () => {
    const { run, launch } = bashBench(host);
    const server = launch(
      'cd /tmp && (env -i ANIMUS_SPAWN_ID=$ANIMUS_SPAWN_ID setsid sleep 300 &); exec python3 -m http.server 8000 --bind 127.0.0.1',
    );
    server.stdout.resume();
    server.stderr.resume();
    const ask = 'python3 -c "import urllib.request as u; print(u.urlopen(\'http://127.0.0.1:8000/\').status)"';
    await eventually('the server answers', async () => ((await run(ask)).stdout.text === '200\n' ? true : null));
    expect((await run(OTHERS)).stdout.text).toBe('(sleep)\n');
    expect(await server.stop()).toMatchObject({ ended: 'aborted' });
    expect((await run(`${ask} 2>&1 | tail -n 1; ${OTHERS}`)).stdout.text).toMatch(/refused>\n$/);
  });

  test('has no network, no capability, no new privilege, no writable root and no engine', async () => {
    const { run } = bashBench(host);
    const { stdout } = await run(`
      grep -E "^(CapEff|CapBnd|NoNewPrivs|Seccomp):" /proc/self/status | tr -d "\\t"
      cat /proc/net/dev | tail -n +3 | cut -d: -f1
      touch /usr/x /etc/x /root/x 2>&1 | grep -c "Read-only\\|denied"
      ls /var/run/docker.sock /run/docker.sock 2>/dev/null
      python3 -c "import socket; socket.create_connection(('1.1.1.1', 443), 3)" 2>&1 | tail -n 1
      mount -t tmpfs none /mnt 2>/dev/null && echo mounted; unshare -Ur id 2>&1 | grep -c "not permitted"
      cat /proc/sys/kernel/core_pattern > /dev/null; echo x > /proc/sys/kernel/core_pattern; ls /dev/sda /dev/kmsg /dev/mem 2>/dev/null
      echo done`);
    expect(stdout.text.replaceAll(' ', '')).toBe(
      'CapEff:0000000000000000\nCapBnd:0000000000000000\nNoNewPrivs:1\nSeccomp:2\n' +
        'lo\n3\nOSError:[Errno101]Networkisunreachable\n1\ndone\n',
    );
  });

  test('says what to do when there can be no container, and goes on afterwards', async () => {
    const absent = bashBench(host, { image: 'animus-no-such-image:latest' });
    expect(await absent.run('true')).toMatchObject({
      ended: 'not_started',
      problem: expect.stringMatching(/no image animus-no-such-image:latest; run: docker pull/) as string,
    });
    const shellless = bashBench(host, { image: 'animus-no-such-image:latest' });
    expect((await shellless.run('true')).ended).toBe('not_started');
    const { run } = bashBench(host);
    expect((await run('echo fine')).stdout.text).toBe('fine\n');
  });

  test('a container that is killed is replaced with the next command', async () => {
    const { run, launch, workspace } = bashBench(host);
    const command = launch('touch up; sleep 300');
    command.stdout.resume();
    command.stderr.resume();
    await eventually('it runs', () => (existsSync(join(workspace, 'up')) ? true : null));
    await host.killAll(`work-${workspace.slice(-6)}`);
    expect((await command.exited).ended).toBe('interrupted');
    host.setDeadline(`work-${workspace.slice(-6)}`, 60_000);
    expect((await run('echo again')).stdout.text).toBe('again\n');
  });

  test('a closed container runs nothing more, and ends what runs', async () => {
    const { container, run, launch } = bashBench(host);
    const command = launch('sleep 300');
    command.stdout.resume();
    command.stderr.resume();
    await container.close();
    expect((await command.exited).ended).toBe('aborted');
    expect((await run('true')).ended).toBe('aborted');
    await eventually('none is left', async () => ((await left()).length === 0 ? true : null));
  });
});
