import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { detectIsolation } from '../../../src/process/isolation.ts';

const PROGRAM = new URL('./full-disk-program.ts', import.meta.url).pathname;

test.skipIf((await detectIsolation()) !== 'namespace')(
  'a full disk is reported clearly, and existing files stay complete',
  async () => {
    const disk = await mkdtemp(join(tmpdir(), 'animus-disk-'));
    onTestFinished(() => rm(disk, { recursive: true }));
    const script = 'mount -t tmpfs -o size=100k none "$0" && exec "$@"';
    const line = ['-Urm', 'sh', '-c', script, disk, process.execPath, PROGRAM, disk];
    const { stdout } = await promisify(execFile)('unshare', line);
    const { outputs, names, a } = JSON.parse(stdout) as {
      outputs: { content: string; isError?: boolean }[];
      names: string[];
      a: string;
    };
    expect(outputs.map(({ isError }) => isError ?? false)).toEqual([false, true, true, true, true, false]);
    expect(outputs[5]!.content).toMatch(/said: 1\n.*No space left on device/s);
    for (const { content } of outputs.slice(1, 5)) expect(content).toContain('no space left on the device');
    expect(names).toEqual(['a']);
    expect(a).toBe('small');
  },
);
