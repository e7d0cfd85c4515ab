import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { placeSkill } from '../../../src/catalog/skills/place-skill.ts';
import { putFile, skillText, skillTree } from '../../support/skill-tree.ts';
import { mountSmallDisk } from '../../support/small-disk.ts';

const FILES = [
  { path: 'SKILL.md', content: Buffer.from(skillText('a')) },
  { path: 'scripts/deep/run.py', content: Buffer.from('print(1)\n') },
];
const coded = (code: string) => expect.objectContaining({ code });

test('a skill is written with all its files, and the directory is created', async () => {
  const root = join(skillTree({}), 'home', 'skills');

  expect(await placeSkill(root, 'a', FILES)).toBe(join(root, 'a'));

  expect(readFileSync(join(root, 'a/scripts/deep/run.py'), 'utf8')).toBe('print(1)\n');
  expect(readdirSync(root)).toEqual(['a']);
});

test('what is there is never overwritten without replace', async () => {
  const root = skillTree({ 'a/SKILL.md': 'mine', 'a/old.txt': 'old', file: 'a file' });
  symlinkSync('nowhere', join(root, 'link'));

  for (const name of ['a', 'file', 'link']) {
    await expect(placeSkill(root, name, FILES)).rejects.toThrow(coded('skill.exists'));
  }
  expect(readFileSync(join(root, 'a/SKILL.md'), 'utf8')).toBe('mine');

  await placeSkill(root, 'a', FILES, { replace: true });
  expect(readdirSync(join(root, 'a'))).toEqual(['SKILL.md', 'scripts']);
  expect(readdirSync(root).sort()).toEqual(['a', 'file', 'link']);
});

test('of many that write the same skill at once, one succeeds', async () => {
  const root = skillTree({});

  const results = await Promise.allSettled(Array.from({ length: 8 }, () => placeSkill(root, 'a', FILES)));

  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const result of results) if (result.status === 'rejected') expect(result.reason).toEqual(coded('skill.exists'));
  expect(readdirSync(root)).toEqual(['a']);
  expect(readdirSync(join(root, 'a'))).toEqual(['SKILL.md', 'scripts']);
});

test('an interrupted write leaves nothing', async () => {
  const root = skillTree({});
  const interrupted = new AbortController();
  interrupted.abort();

  await expect(placeSkill(root, 'a', FILES, { signal: interrupted.signal })).rejects.toThrow();

  expect(readdirSync(root)).toEqual([]);
});

test('a path or name that leads out is a bug of the caller, and nothing is written', async () => {
  const root = skillTree({ 'skills/b/SKILL.md': 'b' });
  for (const path of ['../x', '/etc/x', 'a/../../x', 'a//b', '.hidden', 'a\\b', 'a\0b', '', 'node_modules/x']) {
    const files = [...FILES, { path, content: Buffer.from('x') }];
    await expect(placeSkill(join(root, 'skills'), 'a', files)).rejects.toThrow(coded('internal.bug'));
  }
  for (const name of ['../x', '..', '', 'A', '.a', 'a/b']) {
    await expect(placeSkill(join(root, 'skills'), name, FILES)).rejects.toThrow(coded('internal.bug'));
  }
  expect(readdirSync(root)).toEqual(['skills']);
  expect(readdirSync(join(root, 'skills'))).toEqual(['b']);
});

test('what a killed process has left behind is removed an hour later', async () => {
  const root = skillTree({ '.animus-skill-half/SKILL.md': 'half' });

  await placeSkill(root, 'a', FILES, { nowMs: Date.now() + 3_500_000 });
  expect(readdirSync(root).sort()).toEqual(['.animus-skill-half', 'a']);

  await placeSkill(root, 'b', FILES, { nowMs: Date.now() + 3_700_000 });
  expect(readdirSync(root).sort()).toEqual(['a', 'b']);
});

test('what a killed process had moved aside comes back, unless its place is taken', async () => {
  const aside = (name: string) => `.animus-skill-${name}-${randomUUID()}-old`;
  const root = skillTree({
    [`${aside('a')}/SKILL.md`]: 'mine',
    [`${aside('b-c')}/SKILL.md`]: 'mine',
    'b-c/SKILL.md': 'new',
  });
  const nowMs = Date.now() + 3_700_000;

  await expect(placeSkill(root, 'a', FILES, { nowMs })).rejects.toThrow(coded('skill.exists'));

  expect(readdirSync(root).sort()).toEqual(['a', 'b-c']);
  expect(readFileSync(join(root, 'a/SKILL.md'), 'utf8')).toBe('mine');
  expect(readFileSync(join(root, 'b-c/SKILL.md'), 'utf8')).toBe('new');
});

test('whether a folder is replaced is decided when it can no longer change', async () => {
  const root = skillTree({ 'a/SKILL.md': 'mine' });
  const seen: string[] = [];
  const mayReplace = (answer: boolean) => async (old: string) => {
    seen.push(readFileSync(join(old, 'SKILL.md'), 'utf8'), String(existsSync(join(root, 'a'))));
    return answer;
  };

  const refused = placeSkill(root, 'a', FILES, { replace: true, mayReplace: mayReplace(false) });
  await expect(refused).rejects.toThrow(coded('skill.exists'));
  expect(readFileSync(join(root, 'a/SKILL.md'), 'utf8')).toBe('mine');

  await placeSkill(root, 'a', FILES, { replace: true, mayReplace: mayReplace(true) });
  expect(seen).toEqual(['mine', 'false', 'mine', 'false']);
  expect(readdirSync(root)).toEqual(['a']);
});

test('on a full disk nothing stays, and the earlier version is kept', async (context) => {
  const root = mountSmallDisk('1m');
  if (root === null) return context.skip('this user may not mount');
  mkdirSync(join(root, 'a'));
  putFile(join(root, 'a/SKILL.md'), 'mine');
  const large = [...FILES, { path: 'large.bin', content: Buffer.alloc(4 * 1024 * 1024, 1) }];

  await expect(placeSkill(root, 'a', large, { replace: true })).rejects.toThrow(coded('skill.unwritable'));
  await expect(placeSkill(root, 'b', large)).rejects.toThrow(/no space left on device \(ENOSPC\)/);

  expect(readdirSync(root)).toEqual(['a']);
  expect(readFileSync(join(root, 'a/SKILL.md'), 'utf8')).toBe('mine');
});
