/** Promise: when the host is out of memory, the kernel kills a command first, and never the daemon because of it. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { limitedModes, limitedRun } from './limited-run.ts';

const modes = await limitedModes();

describe.skipIf(modes.length === 0).each(modes)('in isolation $isolation, cgroups: $cgroups', (mode) => {
  test('a command and everything it starts have the highest score, whatever score the daemon has', async () => {
    const { run } = limitedRun(mode);
    const { stdout } = await run('cat /proc/self/oom_score_adj; setsid -w cat /proc/self/oom_score_adj');
    expect(stdout.text).toBe('1000\n1000\n');
    expect(Number(readFileSync('/proc/self/oom_score_adj', 'utf8'))).toBeLessThan(1000);
  });
});
