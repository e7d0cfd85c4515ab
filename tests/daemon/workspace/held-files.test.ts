import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { changedSince, holdsFiles } from '../../../src/daemon/workspace/held-files.ts';

test('a directory holds nothing only where that is proved', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'held-files-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const [empty, linked, file] = ['empty', 'linked', 'file'].map((name) => join(directory, name));
  mkdirSync(join(empty!, 'a/b'), { recursive: true });
  mkdirSync(linked!);
  symlinkSync('nowhere', join(linked!, 'link'));
  writeFileSync(file!, '');
  expect([await holdsFiles(empty!), await holdsFiles(join(directory, 'gone'))]).toEqual([false, false]);
  expect(await holdsFiles(linked!)).toBe(true);
  // It cannot be listed, as a directory without permission or on a stale mount: not ENOENT, so it proves nothing.
  expect([await holdsFiles(file!), await changedSince(join(file!, 'below'), Date.now() + 1e9)]).toEqual([true, true]);
});
