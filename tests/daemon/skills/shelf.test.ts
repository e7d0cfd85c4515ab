import { randomUUID } from 'node:crypto';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { SkillLibrary } from '../../../src/catalog/skills/skill.ts';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { createShelf } from '../../../src/daemon/skills/shelf.ts';
import { openLog } from '../../../src/telemetry/log.ts';
import { eventually } from '../../support/eventually.ts';
import { putFile, skillText, skillTree } from '../../support/skill-tree.ts';

async function openShelf(directories: string[], pollMs = 20) {
  const changes: SkillLibrary[] = [];
  const reports: (readonly string[])[] = [];
  const shelf = createShelf({
    directories,
    clock: systemClock,
    log: openLog({ level: 'silent' }),
    onChange: (library) => changes.push(library),
    onProblems: async (lines) => void reports.push(lines),
    pollMs,
  });
  onTestFinished(() => shelf.stop());
  await shelf.start();
  return { shelf, changes, reports };
}

test('the skills are there when the shelf has started', async () => {
  const root = skillTree({ 'a/SKILL.md': skillText('a') });

  const { shelf } = await openShelf([root]);

  expect([...shelf.current().skills.keys()]).toEqual(['a']);
  expect(await shelf.ready()).toBe(shelf.current());
});

test('a shelf without directories is empty', async () => {
  const { shelf, changes } = await openShelf([]);

  expect((await shelf.ready()).skills.size).toBe(0);
  expect((await shelf.refresh()).skills.size).toBe(0);
  expect(changes).toEqual([]);
});

test('new, changed and removed skills take effect without a restart', async () => {
  const root = skillTree({ 'a/SKILL.md': skillText('a'), 'b/SKILL.md': skillText('b') });
  const { shelf } = await openShelf([root]);
  const first = shelf.current();

  putFile(join(root, 'c/SKILL.md'), skillText('c'));
  putFile(join(root, 'a/SKILL.md'), skillText('a', { body: 'New.' }));
  rmSync(join(root, 'b'), { recursive: true });

  const changed = ({ skills }: SkillLibrary) =>
    [...skills.keys()].join() === 'a,c' && skills.get('a')?.body === 'New.' ? skills : null;
  await eventually('the changed library', () => changed(shelf.current()));
  expect([...first.skills.keys()]).toEqual(['a', 'b']);
});

test('what has not changed is not told again', async () => {
  const root = skillTree({ 'a/SKILL.md': skillText('a') });
  // A file that was changed a moment ago is read again in any case.
  const later = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000);
  onTestFinished(() => later.mockRestore());
  const { shelf, changes } = await openShelf([root], 60_000);
  const first = await shelf.ready();
  expect(changes).toEqual([first]);

  expect(await shelf.refresh()).toBe(first);
  expect(changes).toEqual([first]);
});

test('a directory that appears later is found', async () => {
  const root = skillTree({ 'waiting/a/SKILL.md': skillText('a') });
  const { shelf } = await openShelf([join(root, 'skills')]);

  mkdirSync(join(root, 'other'));
  renameSync(join(root, 'waiting'), join(root, 'skills'));

  await eventually('the skill', () => shelf.current().skills.get('a') ?? null);
});

test('a skill that is broken now keeps its last good version, and one that is gone does not', async () => {
  const root = skillTree({ 'a/SKILL.md': skillText('a'), 'b/SKILL.md': skillText('b') });
  const { shelf } = await openShelf([root], 60_000);

  putFile(join(root, 'a/SKILL.md'), '---\nname: a\n');
  rmSync(join(root, 'b'), { recursive: true });
  const library = await shelf.refresh();

  expect([...library.skills.keys()]).toEqual(['a']);
  expect(library.problems).toMatchObject([{ level: 'error', file: join(root, 'a/SKILL.md') }]);
});

test('a skill that is just being replaced stays, and a removed or renamed one does not', async () => {
  const root = skillTree({ 'a/SKILL.md': skillText('a'), 'b/SKILL.md': skillText('b'), 'c/SKILL.md': skillText('c') });
  const { shelf } = await openShelf([root], 60_000);

  const aside = join(root, `.animus-skill-a-${randomUUID()}-old`);
  renameSync(join(root, 'a'), aside);
  putFile(join(root, 'b/SKILL.md'), skillText('d'));
  rmSync(join(root, 'c/SKILL.md'));
  expect([...(await shelf.refresh()).skills.keys()]).toEqual(['a', 'd']);

  putFile(join(root, 'a/SKILL.md'), skillText('a', { body: 'New.' }));
  rmSync(aside, { recursive: true });
  expect((await shelf.refresh()).skills.get('a')?.body).toBe('New.');
  rmSync(join(root, 'a'), { recursive: true });
  expect([...(await shelf.refresh()).skills.keys()]).toEqual(['d']);
});

test('a refresh contains what was changed before it was asked for', async () => {
  const root = skillTree({ 'a/SKILL.md': skillText('a') });
  const { shelf } = await openShelf([root], 60_000);

  const refreshes = ['b', 'c', 'd'].map((name) => {
    putFile(join(root, name, 'SKILL.md'), skillText(name));
    return shelf.refresh().then(({ skills }) => skills.has(name));
  });

  expect(await Promise.all(refreshes)).toEqual([true, true, true]);
});

test('skills that are left out are reported once, and when they are well again', async () => {
  const root = skillTree({ 'a/SKILL.md': '---\nname: a\n', 'b/SKILL.md': skillText('b') });
  const { reports } = await openShelf([root]);
  await eventually('the report', () => reports[0] ?? null);

  putFile(join(root, 'c/SKILL.md'), skillText('c'));
  putFile(join(root, 'a/SKILL.md'), skillText('a'));
  await eventually('the second report', () => reports[1] ?? null);

  expect(reports).toEqual([
    [expect.stringMatching(/^a skill is left out: .*a\/SKILL\.md:1: its front matter has no end/)],
    [],
  ]);
});
