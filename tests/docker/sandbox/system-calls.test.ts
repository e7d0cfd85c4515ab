/** The system calls of containers: sockets lead to networks and processes only, and ordinary programs run. On a real engine. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bashBench } from './bash-bench.ts';
import { besideBystander } from './beside-bystander.ts';
import { missingEngine, testHost } from './containers.ts';
import { ATTEMPTS, HELD_BACK, ORDINARY, REFUSED } from './system-calls.ts';

const missing = missingEngine();
const skipped = missing === null ? '' : ` (skipped: ${missing})`;

describe.skipIf(missing !== null)(`system calls of code${skipped}`, () => {
  const { run, valueOf } = besideBystander();

  test('reach no hypervisor, no device and no namespace', async () => {
    expect(valueOf(await run(`${ATTEMPTS}\nreturn attempts()`))).toEqual({ ...REFUSED, ...HELD_BACK, ...ORDINARY });
  });
});

describe.skipIf(missing !== null)(`system calls of commands in a container${skipped}`, () => {
  const { host, left, stop } = testHost();
  afterAll(async () => {
    await stop();
    expect(await left()).toEqual([]);
  });

  test('reach no hypervisor, no device and no namespace', async () => {
    const { run, workspace } = bashBench(host);
    writeFileSync(join(workspace, 'attempts.py'), `${ATTEMPTS}\nprint(json.dumps(attempts()))`, { mode: 0o644 });
    const { stdout, stderr } = await run('python3 attempts.py');
    expect([JSON.parse(stdout.text), stderr.text]).toEqual([{ ...REFUSED, ...HELD_BACK, ...ORDINARY }, '']);
  });

  let image: string;
  beforeAll(() => {
    image = programsImage();
  }, 480_000);

  test('python, node, npm, git, gdb and a compiler work', async () => {
    const { run } = bashBench(host, { image, limits: { memoryBytes: 2 ** 30, cpus: 2, pids: 200 } });
    const work = async (line: string) => {
      const { exitCode, stdout, stderr } = await run(`set -e; export HOME=$PWD; ${line}`);
      expect([line, exitCode, stderr.text.slice(0, 2000)]).toEqual([line, 0, expect.anything()]);
      return stdout.text;
    };
    expect(
      await work(`git init -q r; cd r; git config user.email a@b; git config user.name a; echo 1 > f; git add .
      git commit -qm one; git clone -q . ../copy; git gc -q; git worktree add -q ../tree; git log --oneline | wc -l`),
    ).toBe('1\n');
    expect(
      await work(`mkdir p; cd p; npm init -y > /dev/null; mkdir dep; echo '{"name":"dep","version":"1.0.0","scripts":{"postinstall":"node -e 1"}}' > dep/package.json
      npm install --offline --no-audit --no-fund ./dep > /dev/null; npm run env | grep -c npm_command`),
    ).toBe('1\n');
    expect(
      await work(`node -e '
      const { Worker } = require("worker_threads"); const { execSync } = require("child_process"); const net = require("net");
      const server = net.createServer((s) => s.end("tcp")).listen(0, () => net.connect(server.address().port).on("data", (d) => {
        console.log(String(d), String(execSync("echo child")).trim(), Object.keys(require("os").networkInterfaces()).length > 0);
        server.close(); }));
      new Worker("1", { eval: true }); require("fs").watch(".").close();'`),
    ).toBe('tcp child true\n');
    expect(
      await work(`python3 -c '
import asyncio, multiprocessing, socket, subprocess, sqlite3, threading
async def main():
    process = await asyncio.create_subprocess_exec("echo", "async", stdout=subprocess.PIPE)
    print((await process.stdout.read()).decode().strip())
if __name__ == "__main__":
    asyncio.run(main())
    with multiprocessing.get_context("spawn").Pool(2) as pool: print(pool.map(abs, [-1, 2]))
    print(socket.getaddrinfo("localhost", 80)[0][4][0] != "", sqlite3.connect("x.db").execute("pragma journal_mode=wal").fetchone())
'`),
    ).toBe("async\n[1, 2]\nTrue ('wal',)\n");
    expect(
      await work(`echo 'int main(void) { return 0; }' > m.c; gcc -g -fsanitize=address m.c -o checked; ./checked; gcc -g m.c -o m
      strace -f -o t ./m 2> /dev/null || true; grep -c execve t; gdb -q -batch -ex run ./m 2>&1 | grep -c 'exited normally'`),
    ).toBe('1\n1\n');
  });
});

/** An image with the programs that developers use, which the engine of this machine builds. */
function programsImage(): string {
  const image = 'animus-programs:test';
  const programs = 'git python3 gcc libc6-dev gdb strace';
  const install = `apt-get update -qq && apt-get install -y -qq --no-install-recommends ${programs}`;
  const input = `FROM node:24-trixie-slim\nRUN ${install}\n`;
  execFileSync('docker', ['build', '-q', '-t', image, '-'], { input, stdio: ['pipe', 'pipe', 'pipe'] });
  return image;
}
