/** Promise: what a focus used of a skill is stored once under its hash, and stays readable for as long as somebody refers to it. */
import { describe, expect, test } from 'vitest';
import { activatedSkills, activateSkills } from '../../../src/store/skills/activations.ts';
import { readPackage, storeSkillPackage } from '../../../src/store/skills/packages.ts';
import { pruneSkillPackages } from '../../../src/store/work/retention.ts';
import { beginFocus } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';
import { storePackage, write } from './written-skills.ts';

const target = testDatabase();
const file = (path: string, content: string | Buffer) => ({ path, content: Buffer.from(content) });
const HASHES = (n: number) => n.toString(16).padStart(64, '0');

describe('a package', () => {
  test('is stored once, with every byte, and read in the order of its paths', async () => {
    const db = target.database;
    const hash = HASHES(1);
    const binary = Buffer.from([0, 255, 10, 13, 0]);
    let reads = 0;
    const files = async () => {
      reads++;
      return [file('references/b.md', 'B'), file('SKILL.md', 'text\n'), file('assets/Größe.bin', binary)];
    };
    await storeSkillPackage(db, { hash, name: 'größe' }, files);
    await storeSkillPackage(db, { hash, name: 'größe' }, files);
    expect(reads).toBe(1);
    expect(await readPackage(db, hash)).toEqual([
      file('SKILL.md', 'text\n'),
      file('assets/Größe.bin', binary),
      file('references/b.md', 'B'),
    ]);
    expect(await readPackage(db, HASHES(2))).toEqual([]);
  });

  test.each(['../x', '/x', 'a/../b', './x', 'a//b', 'a/', '..', 'a\\b', 'a\nb', ''])('has no file %j', async (path) => {
    await expect(
      storeSkillPackage(target.database, { hash: HASHES(3), name: 'bad' }, async () => [
        file('SKILL.md', ''),
        file(path, 'x'),
      ]),
    ).rejects.toThrow('skill_files_path_check');
  });

  test('that is too large, or has no SKILL.md, is refused', async () => {
    const store = (files: readonly { path: string; content: Buffer }[]) =>
      storeSkillPackage(target.database, { hash: HASHES(4), name: 'bad' }, async () => files);
    const large = Buffer.alloc(3 * 1024 * 1024);
    await expect(
      store([file('SKILL.md', ''), file('a', large), file('b', large), file('c', large)]),
    ).rejects.toMatchObject({ code: 'work.invalid' });
    const many = Array.from({ length: 500 }, (_, n) => file(`f${n}`, ''));
    await expect(store([file('SKILL.md', ''), ...many])).rejects.toMatchObject({ code: 'work.invalid' });
    await expect(store([file('README.md', '')])).rejects.toMatchObject({ code: 'work.invalid' });
  });

  test('is deleted when it was unused for long and neither a focus nor a version refers to it', async () => {
    const db = target.database;
    const work = await beginFocus(db);
    const [unused, used] = [await storePackage(db, 'unused', 'u'), await storePackage(db, 'used', 'v')];
    const { hash: written } = await write(db, work, 'written');
    await activateSkills(db, work.key, [{ name: 'used', version: null, hash: used, reason: 'test' }]);
    expect(await pruneSkillPackages(db, 1)).toBe(0);
    await db.query(`update animus.skill_packages set used_on = used_on - 40 where content_hash = any ($1)`, [
      [unused, used, written],
    ]);
    expect(await pruneSkillPackages(db, 30)).toBe(1);
    expect(
      [await readPackage(db, unused), await readPackage(db, used), await readPackage(db, written)].map(
        ({ length }) => length,
      ),
    ).toEqual([0, 1, 1]);
  });
});

describe('an activation', () => {
  test('is recorded once per focus and skill, with the hash of a package that is stored', async () => {
    const db = target.database;
    const { key } = await beginFocus(db);
    const hash = await storePackage(db, 'notes', 'one');
    const newer = await storePackage(db, 'notes', 'two');
    const notes = { name: 'notes', version: '1.2', hash, reason: 'keyword note' };
    expect(await activateSkills(db, key, [notes])).toEqual(['notes']);
    expect(await activateSkills(db, key, [{ ...notes, hash: newer }])).toEqual([]);
    await expect(activateSkills(db, key, [{ ...notes, name: 'other', hash: HASHES(9) }])).rejects.toMatchObject({
      code: 'work.not_found',
    });
    expect(await activatedSkills(db, key.focusId)).toEqual([{ ...notes, activatedAt: expect.any(Date) }]);
  });
});
