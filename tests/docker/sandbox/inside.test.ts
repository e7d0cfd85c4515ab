import { beforeAll, describe, expect, it } from 'vitest';
import { type Execution, type Ran, talk } from '../../support/sandbox-runner.ts';
import { docker } from '../appliance.ts';
import { builtImage } from './built-image.ts';
import { missingEngine } from './containers.ts';

const missing = missingEngine();

/** As the engine starts it: docs/sandbox.md. */
const CONTAINED = (
  '--network none --read-only --cap-drop ALL --security-opt no-new-privileges --user 10001:10001 --memory 128m --memory-swap 128m ' +
  '--pids-limit 64 --tmpfs /work:mode=0700,uid=10001,gid=10001,size=32m --tmpfs /tmp:size=8m --env HOME=/work'
).split(' ');
const LABEL = 'animus.test=sandbox-inside';

let image: string;

function run(code: string, more: Partial<Execution> = {}): Promise<Ran> {
  return talk(['docker', 'run', '--rm', '--interactive', '--label', LABEL, ...CONTAINED, image], { code, ...more });
}

describe.skipIf(missing)(`code in a container${missing === null ? '' : ` (${missing})`}`, () => {
  beforeAll(async () => {
    image = await builtImage();
  });

  it('can neither read, trace, stop nor kill the runner', async () => {
    const code = `
import ctypes, os, signal
seen = []
for name in ("environ", "mem", "maps", "fd", "cwd", "root", "fd/0", "task/1/environ"):
    try:
        path = f"/proc/1/{name}"
        os.listdir(path) if os.path.isdir(path) else open(path, "rb").read(1)
        seen.append(name)
    except OSError: pass
for number in range(1, 65):
    try: os.kill(1, number)
    except OSError: pass
libc = ctypes.CDLL(None, use_errno=True)
attached = libc.ptrace(16, 1, 0, 0)
return {"seen": seen, "attached": attached, "alone": sorted(int(p) for p in os.listdir("/proc") if p.isdigit() and int(p) not in (1, os.getpid()))}
`;
    const ran = await run(code);
    expect([ran.ended, ran.traceback]).toEqual(['returned', null]);
    expect(JSON.parse(ran.value ?? '')).toEqual({ seen: [], attached: -1, alone: [] });
    expect(ran.exitCode).toBe(0);
  });

  it('has no privileges, no network, no environment of the engine, and writes only where it works', async () => {
    const code = `
import os, socket
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
def attempt(action):
    try: return action() and "done"
    except OSError as error: return type(error).__name__
return {
    "caps": {name: int(status[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")},
    "privileges": status["NoNewPrivs"].strip(), "user": os.getuid(), "names": sorted(os.environ),
    "interfaces": [name for _, name in socket.if_nameindex()],
    "root": attempt(lambda: open("/x", "w")), "runner": attempt(lambda: open("/opt/animus-sandbox/start.py", "a")),
    "work": attempt(lambda: open("/work/x", "w")),
}
`;
    const ran = await run(code);
    expect(ran.traceback).toBeNull();
    expect(JSON.parse(ran.value ?? '')).toMatchObject({
      caps: { CapInh: 0, CapPrm: 0, CapEff: 0, CapBnd: 0, CapAmb: 0 },
      privileges: '1',
      user: 10001,
      interfaces: ['lo'],
      root: 'OSError',
      runner: 'PermissionError',
      work: 'done',
    });
    const { names } = JSON.parse(ran.value ?? '') as { names: string[] };
    expect(names.filter((name) => !/^(HOME|HOSTNAME|LANG|PATH|LC_CTYPE|PYTHON_\w+|GPG_KEY)$/.test(name))).toEqual([]);
  });

  it('survives what the code does to its container, and answers', async () => {
    const memory = await run('hoard = []\nwhile True: hoard.append(bytearray(1_000_000))');
    expect(memory).toMatchObject({ ended: 'limit', value: null, exitCode: 0 });
    expect(memory.traceback).toContain('more memory than the sandbox has');

    const forks = await run('import os\nwhile True:\n    try: os.fork()\n    except OSError: pass', {
      timeoutSeconds: 1,
    });
    expect(forks).toMatchObject({ ended: 'timeout', exitCode: 0 });

    const disk = await run(
      'print("begun")\nwith open("big", "wb") as file:\n    while True: file.write(bytes(1_000_000))',
    );
    expect(disk).toMatchObject({ ended: 'raised', stdout: { text: 'begun\n' } });
    expect(disk.traceback).toContain('No space left on device');

    const output = await run('while True: print("x" * 1000)', { timeoutSeconds: 1, limits: { stdout_bytes: 1000 } });
    expect(output.ended).toBe('timeout');
    expect(output.stdout!.text.length).toBeLessThan(1200);
    expect(output.stdout!.bytes).toBeGreaterThan(100_000);

    const child =
      'import subprocess, sys\nreturn subprocess.run([sys.executable, "-c", "x = []\\nwhile True: x.append(bytearray(10**6))"]).returncode';
    const killed = await run(child);
    expect(killed).toMatchObject({ ended: 'returned', value: '-9' });
    expect(killed.note).toContain('no memory left');
  });

  it('ends with its standard input, and leaves nothing', async () => {
    const left = () => docker(['ps', '--all', '--quiet', '--filter', `label=${LABEL}`]);
    const ran = await run('import time\ntime.sleep(60)', { hangUp: true });
    expect(ran).toMatchObject({ exitCode: 0, calls: [] });
    expect(ran.ended).toBeUndefined();
    expect((await left()).trim()).toBe('');
  });
});
