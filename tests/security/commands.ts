/** Runs a command with file rules in namespaces, to test promises about mounts. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { FileRule } from '../../src/process/file-rules.ts';
import { createProcessHost } from '../../src/process/host/supervised-host.ts';
import type { ProcessResult } from '../../src/process/process-host.ts';

/** The real path of a separate directory for the test. */
export function scratch(): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'animus-reach-')));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Runs bash scripts in `cwd` with the rules. */
export function underRules(cwd: string, fileRules: readonly FileRule[]): (script: string) => Promise<ProcessResult> {
  const host = createProcessHost({ graceMs: 200 });
  onTestFinished(() => host.stop());
  return (script) =>
    host.run(
      {
        owner: 'focus',
        command: 'bash',
        args: ['-c', script],
        cwd,
        env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: cwd, LANG: 'C.UTF-8' },
        timeoutMs: 60_000,
        maxOutputBytes: 100_000,
        isolation: 'namespace',
        fileRules,
      },
      new AbortController().signal,
    );
}
