/** Runs a command with file rules in namespaces, to test promises about mounts. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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

/**
 * A directory with `keys/key`, `home/db/data` and `home/pass`, which contain the secret and are hidden, and with `own`, `home/own` and a link to
 * `home`. The secret is another one each time, because commands can read the directories of tests that run at the same time.
 */
export function withSecrets(): {
  readonly root: string;
  readonly secret: string;
  readonly run: ReturnType<typeof underRules>;
} {
  const root = scratch();
  const secret = `geheim-${randomUUID()}`;
  const at = (path: string) => join(root, path);
  for (const directory of ['keys', 'home/db', 'home/own', 'own']) mkdirSync(at(directory), { recursive: true });
  for (const file of ['keys/key', 'home/db/data', 'home/pass']) writeFileSync(at(file), secret);
  symlinkSync('home', at('linked-home'));
  const run = underRules(root, [
    { path: at('keys/key'), access: 'hidden' },
    { path: at('home'), access: 'hidden' },
    { path: at('home/own'), access: 'all' },
  ]);
  return { root, secret, run };
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
