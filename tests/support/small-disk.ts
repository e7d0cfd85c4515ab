/** A small disk for a test to fill. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Mounts a tmpfs of this size (`4m`), or returns null if this user may not mount. Unmounted when the test has finished. */
export function mountSmallDisk(size: string, options = 'rw'): string | null {
  const directory = mkdtempSync(join(tmpdir(), 'animus-disk-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `${options},size=${size}`, 'none', directory], { stdio: 'ignore' });
  } catch {
    return null;
  }
  // Lazily: a process that was just killed may still have it open.
  onTestFinished(() => void execFileSync('umount', ['-l', directory]));
  return directory;
}
