/** The isolations that can be tested on this host, and for each a directory in which a command can start. */
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { examineIsolation } from '../../src/process/isolation.ts';
import type { Isolation } from '../../src/process/process-host.ts';
import { FIRST_SPARE_UID, freeSpareUser, keepSpareUser } from '../../src/process/runners/spare-users.ts';

/** `none`, and the others that this host supports. */
export async function isolationModes(): Promise<readonly Isolation[]> {
  const { missing } = await examineIsolation();
  return (['none', 'uid', 'namespace'] as const).filter((mode) => mode === 'none' || missing[mode] === undefined);
}

/** The temporary directory; for `uid`, one in it with a separate owner, which is removed when the test has finished. */
export function startDirectory(isolation: Isolation): string {
  if (isolation !== 'uid') return tmpdir();
  const directory = mkdtempSync(join(tmpdir(), 'animus-uid-'));
  const uid = FIRST_SPARE_UID + Math.floor(Math.random() * 1_000_000);
  onTestFinished(() => {
    freeSpareUser(directory, uid);
    rmSync(directory, { recursive: true, force: true });
  });
  chownSync(directory, uid, uid);
  keepSpareUser(directory);
  return directory;
}
