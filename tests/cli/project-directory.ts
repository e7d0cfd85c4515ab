/** A directory for each test of a file, and commands that run in it with a home of their own. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { type RunOptions, run } from './run-cli.ts';

/** Call it once, at the top of a test file. The directory is a new one in each test, and removed after it. */
export function projectDirectory() {
  let cwd = '';
  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), 'cli-'));
  });
  afterEach(() => rmSync(cwd, { recursive: true, force: true }));
  return {
    path: (...names: readonly string[]) => join(cwd, ...names),
    /** Writes files, by their paths in it, that every user may read. */
    write(files: Readonly<Record<string, string>>): void {
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(join(cwd, name, '..'), { recursive: true });
        writeFileSync(join(cwd, name), text, { mode: 0o644 });
      }
    },
    /** The last argument may be options of the run. */
    animus(...argv: readonly (string | RunOptions)[]) {
      const last = argv.at(-1);
      const options = typeof last === 'object' ? last : {};
      const env = { ANIMUS_HOME: join(cwd, 'home'), ...options.env };
      const words = argv.filter((part) => typeof part === 'string');
      return run(words, { ...options, cwd, env });
    },
  };
}
