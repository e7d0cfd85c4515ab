/** Promise: the files of an active skill are read from its package, and nothing is written outside its directory. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { contentHashOf } from '../../../src/catalog/skills/content-hash.ts';
import { loadSkills } from '../../../src/catalog/skills/load-skills.ts';
import { createSkillStore } from '../../../src/daemon/focus/scope/skill-store.ts';
import { activateSkills } from '../../../src/store/skills/activations.ts';
import { storeSkillPackage } from '../../../src/store/skills/packages.ts';
import { activateSkillTool } from '../../../src/tools/skills/activate-skill.ts';
import { skillScope } from '../../../src/tools/skills/active-skills.ts';
import type { ToolContext } from '../../../src/tools/tool.ts';
import { testDatabase } from '../../support/database.ts';
import { startTestFocus } from '../../support/focus.ts';
import { putFile, skillText, skillTree } from '../../support/skill-tree.ts';

const pg = testDatabase();

async function setUp(files: Readonly<Record<string, string>>, name = 'x') {
  const { key } = await startTestFocus(pg.database, { script: '' });
  const contents = Object.entries(files).map(([path, text]) => ({ path, content: Buffer.from(text) }));
  const hash = contentHashOf(contents);
  await storeSkillPackage(pg.database, { hash, name }, async () => contents);
  await activateSkills(pg.database, key, [{ name, version: null, hash, reason: 'model' }]);
  const parent = mkdtempSync(join(tmpdir(), 'animus-packages-'));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const directory = join(parent, 'packages');
  return {
    key,
    directory,
    scope: skillScope(pg.database, { focusId: key.focusId, workspace: '/w', directory, maxTokens: 1 }),
    hash,
  };
}

test('unpacks a skill once, for many calls at once, and again when its directory is gone', async () => {
  const { scope, directory, hash } = await setUp({ 'SKILL.md': 's', 'a/b.md': 'text' });
  const all = await Promise.all(Array.from({ length: 8 }, () => scope.mountsFor(['skills/x/a/b.md', 'y'])));
  const expected = { at: 'skills/x', directory: join(realpathSync(directory), hash) };
  for (const mounts of all) expect(mounts).toEqual([expected]);
  expect(readdirSync(directory)).toEqual([hash]);
  expect(readFileSync(join(expected.directory, 'a/b.md'), 'utf8')).toBe('text');
  rmSync(directory, { recursive: true });
  expect(await scope.mountsFor(['/w/skills/x'])).toEqual([expected]);
});

test.each([
  'skills',
  'skills/',
  'skills/../x',
  'skills/y/a',
  'other/skills/x',
  '../skills/x',
  '/skills/x',
  'skills/x/../../x',
])('asks for nothing at %s', async (path) => {
  const { scope, directory } = await setUp({ 'SKILL.md': 's' });
  expect(await scope.mountsFor([path])).toEqual([]);
  expect(existsSync(directory)).toBe(false);
});

test('a row that somebody wrote past the functions leads nowhere else', async () => {
  const { scope, directory, hash } = await setUp({ 'SKILL.md': 's' });
  await pg.database.query('alter table animus.skill_files drop constraint if exists skill_files_path_check');
  await pg.database.query(
    `insert into animus.skill_files (content_hash, path, content) values ($1, '../../escaped', '')`,
    [hash],
  );
  await expect(scope.mountsFor(['skills/x/SKILL.md'])).rejects.toThrow('leads out of it');
  expect(existsSync(join(directory, '../escaped'))).toBe(false);
  expect(readdirSync(directory)).toEqual([]);
});

test('gives code the scripts of all active skills, as text', async () => {
  const { scope } = await setUp(
    { 'SKILL.md': 's', 'scripts/a.py': 'a = 1', 'scripts/deep/b.py': 'b', 'scripts/raw.bin': '\0', 'other.py': 'o' },
    'two-words',
  );
  expect(await scope.scripts()).toEqual([{ name: 'two-words', files: { 'a.py': 'a = 1', 'deep/b.py': 'b' } }]);
});

test('a skill that is being edited is not activated', async () => {
  const root = skillTree({ 'edited/SKILL.md': skillText('edited') });
  const library = loadSkills([root]);
  putFile(join(root, 'edited/SKILL.md'), skillText('edited', { body: 'Half of the n' }));
  const settings = { offered: ['*'], catalogueMaxTokens: 0, autoActivate: true, maxAutoActivated: 5 };
  const tool = activateSkillTool(settings, async () => library);
  await expect(tool.prepare!({ name: 'edited' }, {} as ToolContext)).rejects.toMatchObject({ code: 'skill.changed' });
  const [skill] = library.skills.values();
  await expect(createSkillStore(pg.database).store([{ skill: skill! }])).rejects.toMatchObject({
    code: 'skill.changed',
  });
  expect(await pg.database.query(`select from animus.skill_packages where name = 'edited'`)).toEqual([]);
});
