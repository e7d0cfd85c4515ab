/** Promise: after a time-out, the directories that may be missing from the results are named, and no name from outside. */
import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { directoriesNotNamed, someOf } from '../../../../src/tools/files/search/not-reached.ts';
import { type SearchPlace, searchPlace } from '../../../../src/tools/files/search/place.ts';
import { setUpBench } from '../../tool-context.ts';

test('directories of which no file was named, without what is ignored, hidden or a link', async () => {
  const { context, workspace, outside } = await setUpBench();
  for (const name of ['seen', 'other', 'dist', '.git', 'keys'])
    await mkdir(join(workspace, 'src', name), { recursive: true });
  await writeFile(join(workspace, 'src/file'), '');
  await symlink(outside, join(workspace, 'src/link'));
  const bounds = { ...context, fileRules: [{ path: join(workspace, 'src/keys'), access: 'hidden' as const }] };
  const place = (await searchPlace('src', bounds)) as SearchPlace;
  const found = await directoriesNotNamed(place, ['seen/deep/a', 'file'], { ignored: ['dist'] }, bounds);
  expect(found).toEqual(['src/other']);

  // A link in place of the directory shows nothing of where it leads.
  await mkdir(join(outside, 'secret'));
  await rename(join(workspace, 'src'), join(workspace, 'away'));
  await symlink(outside, join(workspace, 'src'));
  expect(await directoriesNotNamed(place, [], { ignored: [] }, bounds)).toEqual([]);
});

test('a note names ten', () => {
  expect(someOf(['a', 'b'])).toBe('a, b');
  expect(someOf(Array.from({ length: 12 }, (_, n) => `d${n}`))).toBe(
    'd0, d1, d2, d3, d4, d5, d6, d7, d8, d9 and 2 more',
  );
});
