import { existsSync, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { removeDirectory, removeRenamed } from '../../src/process/remove-directory.ts';
import { scratch } from '../security/commands.ts';

// On both sides of the size from which a program removes it.
test.each([3, 700])(
  'a directory of %i files with names of any bytes is removed, and nothing that its links lead to',
  async (files) => {
    const root = scratch();
    const [outside, directory] = [join(root, 'outside'), join(root, '-rf')];
    for (const name of [outside, join(directory, 'deep/deeper')]) mkdirSync(name, { recursive: true });
    writeFileSync(join(outside, 'kept'), '');
    for (let n = 0; n < files; n++) writeFileSync(join(directory, `deep/${n}`), '');
    writeFileSync(Buffer.concat([Buffer.from(`${directory}/deep/deeper/`), Buffer.from([0xff, 0xfe, 10])]), '');
    symlinkSync(outside, join(directory, 'deep/link'));
    symlinkSync('nowhere', join(directory, 'broken'));
    await removeRenamed(directory);
    expect(readdirSync(root)).toEqual(['outside']);
    expect(existsSync(join(outside, 'kept'))).toBe(true);
  },
);

test('of a link, the link is removed', async () => {
  const root = scratch();
  mkdirSync(join(root, 'big'));
  for (let n = 0; n < 700; n++) writeFileSync(join(root, `big/${n}`), '');
  symlinkSync('big', join(root, 'link'));
  await removeRenamed(join(root, 'link'));
  expect(readdirSync(join(root, 'big'))).toHaveLength(700);
  expect(() => lstatSync(join(root, 'link'))).toThrow('ENOENT');
  await removeDirectory(join(root, 'missing'));
});
