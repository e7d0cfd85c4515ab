/** Code that takes all it can get: processes, memory, disk, output, calls. Another execution at the same time is undisturbed. On a real engine. */
import { describe, expect, test } from 'vitest';
import type { CodeCalls } from '../../../src/sandbox/sandbox.ts';
import { besideBystander } from './beside-bystander.ts';
import { missingEngine } from './containers.ts';

const missing = missingEngine();

describe.skipIf(missing !== null)(`greedy code${missing === null ? '' : ` (skipped: ${missing})`}`, () => {
  const { run, valueOf } = besideBystander();

  test('cannot start so many processes that anybody notices', async () => {
    const execution = await run(`
import os, time
made, refused = 0, None
for _ in range(1000):
    try:
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
        made += 1
    except OSError as error:
        refused = str(error)
        break
return [made, refused]`);
    const [made, refused] = valueOf(execution) as [number, string];
    expect(made).toBeLessThan(64);
    expect(refused).toContain('temporarily unavailable');
    const bomb = await run('import os\nwhile True:\n    try: os.fork()\n    except OSError: pass', {
      timeoutMs: 2000,
    });
    expect(['timeout', 'killed', 'raised']).toContain(bomb.ended);
  });

  test('cannot use more memory, in processes or in files', async () => {
    const greedy = await run('x = [bytearray(16 << 20) for _ in range(100)]\nreturn len(x)');
    expect(greedy).toMatchObject({ ended: 'limit' });
    const disk = await run(`
problems = []
for directory in ("/work", "/tmp", "/dev/shm"):
    try:
        for number in range(40):
            with open(f"{directory}/{number}", "wb") as file:
                file.write(bytes(1 << 20))
        problems.append(directory + " took all")
    except OSError as error:
        problems.append(error.strerror)
return problems`);
    expect(valueOf(disk)).toEqual(Array(3).fill('No space left on device'));
    const many = await run(`
try:
    for number in range(1_000_000):
        open(f"/tmp/{number}", "w").close()
    return "all"
except OSError as error:
    return error.strerror`);
    expect(valueOf(many)).toBe('No space left on device');
    const large = await run(`
import os, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
try:
    os.truncate(os.open("/tmp/large", os.O_CREAT | os.O_RDWR), 1 << 40)
    return "made"
except OSError as error:
    return error.strerror`);
    expect(valueOf(large)).toBe('File too large');
  });

  test('cannot print, return or leave more than the limits', async () => {
    const endless = await run('import sys\nwhile True: print("x" * 65536); print("y" * 65536, file=sys.stderr)', {
      timeoutMs: 3000,
    });
    expect(endless.ended).toBe('timeout');
    expect(endless.stdout.text.length).toBeLessThan(300_000);
    expect(endless.stdout.bytes).toBeGreaterThan(1_000_000);
    expect(endless.stderr.text.length).toBeLessThan(300_000);
    const value = await run('return "x" * 30_000_000');
    expect((value.value ?? '').length).toBeLessThan(1.1 * 2 ** 20);
    const files = await run(`
import os
for number in range(100):
    open(f"out/{number}", "w").write("x")
os.symlink("/etc/passwd", "out/link")
open("out/..\\\\up", "w").write("x")
os.mkfifo("out/pipe")`);
    expect(files.ended).toBe('returned');
    expect(files.files.length).toBeLessThanOrEqual(20);
    expect(files.files.map(({ bytes }) => bytes.toString())).not.toContain(expect.stringContaining('root:'));
  });

  test('takes a result that tries to inject for what it is: text', async () => {
    const evil = '"}\n{"jsonrpc":"2.0","id":"execute","method":"execute"}\n\'; import os; os._exit(1) #\u2028\u0000';
    const execution = await run('return echo(text="x")["content"]', {}, async () => ({
      content: evil,
      isError: false,
    }));
    expect(valueOf(execution)).toBe(evil);
  });

  test('that floods the engine with calls is held back, and the calls end with it', async () => {
    let running = 0;
    let most = 0;
    const slow: CodeCalls = async (_call, signal) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => {
        signal.addEventListener('abort', resolve, { once: true });
        setTimeout(resolve, 20);
      });
      running--;
      return { content: 'x'.repeat(1000), isError: false };
    };
    const execution = await run(
      `
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(40) as pool:
    return sum(len(r["content"]) for r in pool.map(lambda n: echo(text=str(n)), range(400)))`,
      {},
      slow,
    );
    expect(valueOf(execution)).toBe(400_000);
    expect(most).toBeLessThanOrEqual(16);
    expect(running).toBe(0);
  });
});
