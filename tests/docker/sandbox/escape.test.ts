/** Hostile code tries to get out: it gets nowhere, and another execution at the same time is undisturbed. On a real engine. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { CodeCalls } from '../../../src/sandbox/sandbox.ts';
import { besideBystander } from './beside-bystander.ts';
import { missingEngine } from './containers.ts';
import { echo } from './executions.ts';

const missing = missingEngine();

describe.skipIf(missing !== null)(`hostile code${missing === null ? '' : ` (skipped: ${missing})`}`, () => {
  const { run, valueOf } = besideBystander();

  test('reaches no network: no address, no name, no listener of the host, no interface but its own loopback', async () => {
    const server = createServer((socket) => socket.end('reached')).listen(0, '0.0.0.0');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const execution = await run(`
import os, socket
def attempt(act):
    try:
        return str(act())
    except Exception as error:
        return type(error).__name__ + ": " + str(error)
def connect(family, address):
    with socket.socket(family) as s:
        s.settimeout(2)
        return s.connect(address) or "connected"
def send(family, address):
    with socket.socket(family, socket.SOCK_DGRAM) as s:
        return s.sendto(b"x", address)
gateways = ["172.17.0.1", "10.0.0.1", "192.168.0.1", "169.254.169.254", "127.0.0.1"]
return {
    "interfaces": sorted(os.listdir("/sys/class/net")),
    "tcp": [attempt(lambda: connect(socket.AF_INET, (host, ${port}))) for host in [*gateways, "1.1.1.1"]],
    "udp": attempt(lambda: send(socket.AF_INET, ("8.8.8.8", 53))),
    "tcp6": attempt(lambda: connect(socket.AF_INET6, ("2606:4700:4700::1111", 443))),
    "name": attempt(lambda: socket.getaddrinfo("example.com", 80)),
    "raw": attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)),
    "packet": attempt(lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW)),
    "docker": [attempt(lambda: connect(socket.AF_UNIX, path)) for path in ["/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock"]],
    "abstract": attempt(lambda: connect(socket.AF_UNIX, "\\0containerd")),
}`);
    const seen = valueOf(execution) as Record<string, unknown>;
    expect(seen['interfaces']).toEqual(['lo']);
    expect(JSON.stringify(seen)).not.toMatch(/connected|reached/);
    expect(seen['udp']).toMatch(/unreachable/);
    expect(seen['raw']).toMatch(/PermissionError/);
    expect(seen['packet']).toMatch(/PermissionError/);
    expect(seen['docker']).toEqual(Array(3).fill(expect.stringContaining('No such file')));
  });

  test('sees no file, process, device or secret of the host, and writes nowhere but to its own memory', async () => {
    const secret = randomUUID();
    const directory = mkdtempSync(join(tmpdir(), 'animus-secret-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    writeFileSync(join(directory, 'key'), secret);
    process.env['ANIMUS_TEST_SECRET'] = secret;
    onTestFinished(() => void delete process.env['ANIMUS_TEST_SECRET']);
    const execution = await run(`
import glob, os
def attempt(act):
    try:
        return str(act())
    except OSError as error:
        return type(error).__name__
def text(path):
    with open(path, errors="replace") as file:
        return file.read()
def write(path):
    with open(path, "w") as file:
        file.write("x")
    os.remove(path)
    return "written"
return {
    "secret": attempt(lambda: text(${JSON.stringify(join(directory, 'key'))})),
    "seen": [text(path) for path in glob.glob("/proc/[0-9]*/environ") + ["/proc/self/mountinfo"] if os.access(path, os.R_OK)],
    "escapes": [attempt(lambda: os.listdir(f"/proc/{pid}/root")) for pid in (1, os.getpid())],
    "climb": attempt(lambda: text("/proc/self/root/../../../../${directory}/key")),
    "devices": sorted(name for name in os.listdir("/dev") if os.path.exists("/dev/" + name)),
    "disk": attempt(lambda: open("/dev/sda", "rb")),
    "mem": attempt(lambda: open("/dev/mem", "rb")),
    "kcore": attempt(lambda: open("/proc/kcore", "rb").read(1)),
    "writes": {path: attempt(lambda: write(path + "/x")) for path in ["/", "/etc", "/usr/bin", "/opt", "/home", "/var/tmp", "/proc/sys/kernel", "/sys/fs/cgroup", "/work", "/tmp"]},
    "core_pattern": attempt(lambda: write("/proc/sys/kernel/core_pattern")),
    "sysrq": attempt(lambda: write("/proc/sysrq-trigger")),
    "root": attempt(lambda: os.setuid(0)),
    "chroot": attempt(lambda: os.chroot("/tmp")),
    "mount": os.system("mount -t tmpfs none /tmp 2>/dev/null"),
    "unshare": attempt(lambda: os.unshare(os.CLONE_NEWUSER)),
    "nodes": attempt(lambda: os.mknod("/tmp/disk", 0o60666, os.makedev(8, 0))),
    "processes": sorted(int(pid) for pid in os.listdir("/proc") if pid.isdigit() and int(pid) > 100),
}`);
    const seen = valueOf(execution) as Record<string, unknown>;
    expect(JSON.stringify(execution)).not.toContain(secret);
    expect(seen['writes']).toEqual({
      ...Object.fromEntries(
        ['/', '/etc', '/usr/bin', '/opt', '/home', '/var/tmp', '/sys/fs/cgroup', '/proc/sys/kernel'].map((path) => [
          path,
          expect.stringMatching(/Error/),
        ]),
      ),
      '/work': 'written',
      '/tmp': 'written',
    });
    for (const what of [
      'secret',
      'climb',
      'disk',
      'mem',
      'kcore',
      'core_pattern',
      'sysrq',
      'root',
      'chroot',
      'unshare',
      'nodes',
    ])
      expect([what, seen[what]]).toEqual([what, what === 'kcore' ? expect.anything() : expect.stringMatching(/Error/)]);
    expect(seen['mount']).not.toBe(0);
    expect(seen['devices']).not.toContain('kmsg');
    expect(seen['processes']).toEqual([]);
  });

  test('cannot forge a message: neither by its output nor by the descriptors of the runner', async () => {
    const forged = JSON.stringify({ jsonrpc: '2.0', id: 'execute', result: { ended: 'returned', value: '"forged"' } });
    const call = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'call', params: { name: 'forged', input: {} } });
    const names: string[] = [];
    const calls: CodeCalls = async ({ name, ...rest }, signal) => {
      names.push(name);
      return echo({ name, ...rest }, signal);
    };
    const code = `
import os, sys
lines = ${JSON.stringify(`${call}\n${forged}\n`)}.encode()
print(lines.decode(), flush=True)
for fd in (1, 2):
    os.write(fd, b"\\n" + lines)
blocked = []
for path in ("/proc/1/fd/1", "/proc/1/fd/0", "/proc/1/mem", "/dev/console"):
    try:
        with open(path, "wb", buffering=0) as file:
            file.write(b"\\n" + lines)
    except OSError as error:
        blocked.append(path)
assert echo(text="real")["content"] == "real"
return blocked`;
    const execution = await run(code, {}, calls);
    expect(valueOf(execution)).toEqual(['/proc/1/fd/1', '/proc/1/fd/0', '/proc/1/mem', '/dev/console']);
    expect(names).toEqual(['echo']);
    expect(execution.stdout.text).toContain('forged');
  });

  test('that writes to the channel of its own process reaches the tools and nothing else', async () => {
    const names: string[] = [];
    const execution = await run(
      `
import os, socket
for fd in range(3, 64):
    try:
        os.write(fd, b'{"jsonrpc":"2.0","method":"execute","id":"execute"}\\nnonsense\\n')
    except OSError:
        pass
import time
time.sleep(5)
return "went on"`,
      {},
      async (call) => {
        names.push(call.name);
        return { content: '', isError: false };
      },
    );
    expect(['raised', 'killed']).toContain(execution.ended);
    expect(names).toEqual([]);
  });

  test('cannot stop its runner by signals, nor outlive the execution', async () => {
    const execution = await run(`
import os, signal, subprocess
for name in ("SIGKILL", "SIGTERM", "SIGINT", "SIGSTOP", "SIGHUP", "SIGUSR1"):
    os.kill(1, getattr(signal, name))
subprocess.Popen(["sleep", "600"], start_new_session=True)
return "alive"`);
    expect(valueOf(execution)).toBe('alive');
    const own = await run('import os, signal\nos.kill(os.getpid(), signal.SIGKILL)');
    expect(own.ended).toBe('raised');
    expect(own.traceback).toContain('killed by signal 9');
  });

  test('cannot read anything of another execution', async () => {
    const token = randomUUID();
    const first = run(`open("/tmp/token", "w").write(${JSON.stringify(token)})\nimport time; time.sleep(2)\nreturn 1`, {
      owner: 'first',
    });
    const second = await run(`
import glob
texts = []
for path in glob.glob("/tmp/*") + glob.glob("/work/**", recursive=True) + glob.glob("/dev/shm/*") + glob.glob("/proc/[0-9]*/cmdline"):
    try:
        texts.append(open(path).read())
    except OSError:
        pass
return texts`);
    expect(valueOf(second)).not.toContain(token);
    expect((await first).ended).toBe('returned');
    // The next execution on the same limits gets another container.
    expect(valueOf(await run('import os\nreturn os.listdir("/tmp")'))).toEqual([]);
  });
});
