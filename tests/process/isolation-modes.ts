/** Which isolations this host can be tested in, and a directory that a command can start in in each. */
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { examineIsolation } from '../../src/process/isolation.ts';
import type { Isolation } from '../../src/process/process-host.ts';
import { FIRST_SPARE_UID } from '../../src/process/runners/as-user.ts';

/** `none`, and what this host can do beside it. */
export async function isolationModes(): Promise<readonly Isolation[]> {
  const { missing } = await examineIsolation();
  return (['none', 'uid', 'namespace'] as const).filter((mode) => mode === 'none' || missing[mode] === undefined);
}

/** The temporary directory; for `uid` one in it with an owner of its own, removed when the test has finished. */
export function startDirectory(isolation: Isolation): string {
  if (isolation !== 'uid') return tmpdir();
  const directory = mkdtempSync(join(tmpdir(), 'animus-uid-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const uid = FIRST_SPARE_UID + Math.floor(Math.random() * 1_000_000);
  chownSync(directory, uid, uid);
  return directory;
}
