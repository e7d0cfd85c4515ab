/** Runs commands in namespaces, for tests of standbys. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createProcessHost } from '../../src/process/host/supervised-host.ts';
import type { ProcessSpec } from '../../src/process/process-host.ts';

export const PATH = '/usr/sbin:/usr/bin:/sbin:/bin';

/** A host and an empty directory, until the end of the test. */
export function withHost() {
  const host = createProcessHost({ graceMs: 200 });
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'animus-standby-')));
  onTestFinished(async () => {
    await host.stop();
    rmSync(cwd, { recursive: true });
  });
  const run = (more: Partial<ProcessSpec>) =>
    host.run(
      {
        owner: 'focus',
        command: 'sh',
        args: ['-c', ':'],
        cwd,
        env: { PATH },
        timeoutMs: 60_000,
        maxOutputBytes: 100_000,
        isolation: 'namespace',
        fileRules: [],
        ...more,
      },
      new AbortController().signal,
    );
  return { host, run, cwd };
}
