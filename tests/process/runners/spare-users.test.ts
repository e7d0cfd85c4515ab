/** Promise: no two directories of a host have the same spare user, and none has one that somebody else uses. */
import { spawn } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { giveFocusDirectory, removeFocusDirectory } from '../../../src/daemon/workspace/focus-directory.ts';
import {
  FIRST_SPARE_UID,
  freeSpareUser,
  isSpareUserOf,
  keepSpareUser,
  takeSpareUser,
} from '../../../src/process/runners/spare-users.ts';
import { isolationModes } from '../isolation-modes.ts';

const modes = await isolationModes();
/** One that no focus has got by chance. */
const NUMBER = 50_000_000 + (process.pid % 1_000_000) * 10;

describe.skipIf(!modes.includes('uid'))('spare users', () => {
  test('two daemons do not give the same user to two foci whose ids end alike', async () => {
    const name = `0197a000-0000-7000-8000-${(2 ** 40 + NUMBER).toString(16).padStart(12, '0')}`;
    const [one, other] = [scratch(), scratch()].map((home) => join(home, 'foci', name));
    for (const directory of [one!, other!]) {
      mkdirSync(directory, { recursive: true });
      await giveFocusDirectory(directory, null);
    }
    const [first, second] = [statSync(one!).uid, statSync(other!).uid];
    expect(first).toBeGreaterThanOrEqual(FIRST_SPARE_UID);
    expect(second).not.toBe(first);
    expect([isSpareUserOf(one!, first), isSpareUserOf(other!, first), isSpareUserOf(other!, second)]).toEqual([
      true,
      false,
      true,
    ]);
    // A focus that goes on keeps its user, and a directory that is removed gives it back.
    await giveFocusDirectory(one!, null);
    expect(statSync(one!).uid).toBe(first);
    await removeFocusDirectory(one!);
    mkdirSync(one!);
    expect(isSpareUserOf(one!, first)).toBe(false);
    await removeFocusDirectory(other!);
  });

  test('a user that runs something on this host is not given out', async () => {
    const uid = FIRST_SPARE_UID + NUMBER + 5;
    const busy = spawn('sleep', ['300'], { uid, gid: uid, stdio: 'ignore' });
    onTestFinished(() => void busy.kill('SIGKILL'));
    const directory = scratch();
    const { uid: taken } = await takeSpareUser(directory, NUMBER + 5);
    onTestFinished(() => freeSpareUser(directory, taken));
    expect(taken).not.toBe(uid);
  });

  test('after a boot, which forgets the users, a directory has its own again, unless it was given to another', () => {
    const uid = FIRST_SPARE_UID + NUMBER + 9;
    const [old, later] = [scratch(), scratch()];
    mkdirSync(join(old, 'sub'));
    for (const directory of [old, later]) chownSync(directory, uid, uid);
    expect(isSpareUserOf(old, uid)).toBe(false);
    keepSpareUser(old);
    keepSpareUser(later);
    expect([isSpareUserOf(join(old, 'sub'), uid), isSpareUserOf(later, uid)]).toEqual([true, false]);
    freeSpareUser(later, uid);
    expect(isSpareUserOf(old, uid)).toBe(true);
    freeSpareUser(old, uid);
  });
});

function scratch(): string {
  const directory = mkdtempSync(join(tmpdir(), 'animus-users-test-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
