/** The promise: memory that a command keeps in files, and not in its processes, counts, too, and none of it outlives the command. */
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { findProgram } from '../../src/process/find-program.ts';
import { LIMITS, limitedModes, limitedRun } from './limited-run.ts';

const PATH = '/usr/bin:/bin:/usr/local/bin';
const modes = (await limitedModes()).filter(() => findProgram('python3', PATH, '/') !== null);
const apart = modes.filter(({ isolation }) => isolation === 'namespace');
const EXCESS = { ended: 'limit', problem: 'it used more than 200 MiB of memory (max_memory_mib)' };
const MIB = LIMITS.memoryBytes / 2 ** 20;

/** A heredoc: the script is the input of python. */
const python = (script: string) => `python3 - <<'END'\n${script}\nEND`;

describe.skipIf(modes.length === 0).each(modes)('in isolation $isolation, cgroups: $cgroups', (mode) => {
  test('a file in memory that nobody maps', async () => {
    const { run } = limitedRun(mode);
    const script = `import os, time\nfd = os.memfd_create('x')\nfor i in range(${2 * MIB}): os.write(fd, b'x' * 1048576)\ntime.sleep(10)`;
    expect(await run(python(script))).toMatchObject(EXCESS);
  });
});

describe.skipIf(apart.length === 0).each(apart)('in a namespace, cgroups: $cgroups', (mode) => {
  test('a file system in memory that the command mounts', async () => {
    const { run } = limitedRun(mode);
    const script = `mount -t tmpfs x /mnt && head -c ${2 * MIB}M /dev/zero > /mnt/x; sleep 10`;
    expect(await run(`unshare -Urm sh -c '${script}'`)).toMatchObject(EXCESS);
  });

  test('files in /dev/shm, which end with the command', async () => {
    const { run, token } = limitedRun(mode);
    expect(await run(`head -c ${2 * MIB}M /dev/zero > /dev/shm/$0; sleep 10`)).toMatchObject(EXCESS);
    const small = await run('echo here > /dev/shm/$0; cat /dev/shm/$0');
    expect(small.stdout.text).toBe('here\n');
    expect(readdirSync('/dev/shm')).not.toContain(token);
  });

  test('System V shared memory, which is refused beyond the limit and ends with the command', async () => {
    const before = segments();
    const { run } = limitedRun(mode);
    const script = `import ctypes
c = ctypes.CDLL(None)
print(sum(c.shmget(0, 1048576, 0o1600) >= 0 for i in range(${2 * MIB})))`;
    const { stdout } = await run(python(script));
    expect(Number(stdout.text)).toBeLessThanOrEqual(MIB);
    expect(Number(stdout.text)).toBeGreaterThan(0);
    expect(segments()).toEqual(before);
  });
});

/** Of the size that the test makes; others on this host come and go. */
function segments(): readonly string[] {
  const lines = execFileSync('cat', ['/proc/sysvipc/shm'], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line.trim().split(/\s+/)[3] === '1048576');
}
