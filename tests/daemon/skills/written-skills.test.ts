/** Promise: the files of skills that work wrote are what the rows say, whole or not at all, and never in place of what a person wrote. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { loadSkills } from '../../../src/catalog/skills/load-skills.ts';
import { readSkillFiles } from '../../../src/catalog/skills/read-skill-files.ts';
import { exchangeFolder, hashOnDisk, recoverFolders } from '../../../src/daemon/skills/skill-folder.ts';
import { writeSkills } from '../../../src/daemon/skills/write-skills.ts';
import { adoptSkill, archiveSkill } from '../../../src/features/skills/store.ts';
import { readWrittenSkills } from '../../../src/store/skills/written-skills.ts';
import { storeNewSkill, storeSkillChange } from '../../../src/tools/skills/writing/store-version.ts';
import { writerOf } from '../../store/skills/written-skills.ts';
import { beginFocus, type FocusedWork } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';
import { putFile, skillText, skillTree } from '../../support/skill-tree.ts';
import { mountSmallDisk } from '../../support/small-disk.ts';

const target = testDatabase();
let work: FocusedWork;
beforeEach(async () => {
  await target.database.query('truncate animus.skills, animus.skill_packages, animus.skill_names cascade');
  work = await beginFocus(target.database);
});

const create = (name: string, instructions = 'First.', files: { path: string; content: string }[] = []) =>
  target.database.transaction((tx) =>
    storeNewSkill(tx, writerOf(work), { name, description: `About ${name}`, instructions, files }, 'auto'),
  );
const change = (name: string, version: number, instructions: string) =>
  target.database.transaction((tx) =>
    storeSkillChange(tx, writerOf(work), { name, version, instructions, reason: 'r' }, 'auto'),
  );

/** One round, with the library as it is on disk. */
async function round(root: string, ...more: string[]) {
  const skills = await readWrittenSkills(target.database);
  return writeSkills(target.database, root, skills, loadSkills([root, ...more]));
}

const body = (root: string, name: string) => loadSkills([root]).skills.get(name)?.body;
const visible = (root: string) => readdirSync(root).sort();

test('a current version is written, replaced by the next one, written again if its files are gone, and deleted when it is archived', async () => {
  const root = join(skillTree({}), 'not-there-yet');
  await create('notes', 'First.', [{ path: 'references/a.md', content: 'A' }]);
  expect(await round(root)).toEqual({ changed: ['notes'], problems: [] });
  expect([body(root, 'notes'), readFileSync(join(root, 'notes/references/a.md'), 'utf8')]).toEqual(['First.', 'A']);
  expect(loadSkills([root]).skills.get('notes')).toMatchObject({ origin: 'agent', version: '1' });
  expect(await round(root)).toEqual({ changed: [], problems: [] });
  await change('notes', 1, 'Second.');
  expect(await round(root)).toEqual({ changed: ['notes'], problems: [] });
  expect([body(root, 'notes'), visible(root)]).toEqual(['Second.', ['notes']]);
  rmSync(join(root, 'notes'), { recursive: true });
  await round(root);
  expect(body(root, 'notes')).toBe('Second.');
  await archiveSkill(target.database, { name: 'notes', note: '' });
  expect(await round(root)).toEqual({ changed: ['notes'], problems: [] });
  expect(visible(root)).toEqual([]);
  expect(await round(root)).toEqual({ changed: [], problems: [] });
});

test('a daemon that was down writes the newest of many versions', async () => {
  const root = skillTree({});
  await create('notes');
  await round(root);
  for (let version = 1; version <= 5; version++) await change('notes', version, `Text ${version}.`);
  await create('mail');
  await round(root);
  expect([body(root, 'notes'), visible(root)]).toEqual(['Text 5.', ['mail', 'notes']]);
});

test.each([
  [
    'a file is edited',
    (at: string) => writeFileSync(join(at, 'SKILL.md'), `${readFileSync(join(at, 'SKILL.md'), 'utf8')}\nMine.\n`),
  ],
  ['it is broken', (at: string) => writeFileSync(join(at, 'SKILL.md'), 'no front matter')],
  ['a file is added', (at: string) => writeFileSync(join(at, 'mine.md'), 'Mine.')],
  ['a link leads out', (at: string) => symlinkSync('/etc/passwd', join(at, 'passwd'))],
  ['it is a link', (at: string) => (renameSync(at, `${at}-moved`), symlinkSync(`${at}-moved`, at))],
  ['it is a file', (at: string) => (rmSync(at, { recursive: true }), writeFileSync(at, 'mine'))],
])('what a person has made of it stays and is reported: %s', async (_what, edit) => {
  const root = skillTree({});
  await create('notes');
  await round(root);
  edit(join(root, 'notes'));
  const names = visible(root);
  await change('notes', 1, 'Second.');
  const { changed, problems } = await round(root);
  expect([changed, problems]).toEqual([[], [expect.stringContaining('version 2 of skill notes was not written')]]);
  expect(visible(root)).toEqual(names);
  await archiveSkill(target.database, { name: 'notes', note: '' });
  expect(await round(root)).toEqual({ changed: [], problems: [] });
  expect(visible(root)).toEqual(names);
});

test.each(['.git/HEAD', 'references/.draft.md', 'node_modules/x/index.js'])(
  '%s that a person keeps in a skill is not deleted with it',
  async (path) => {
    const root = skillTree({});
    await create('notes', 'First.', [{ path: 'references/a.md', content: 'A' }]);
    await round(root);
    putFile(join(root, 'notes/references/__pycache__/x.pyc'), 'made by python');
    await change('notes', 1, 'Second.');
    await round(root);
    expect(body(root, 'notes')).toBe('Second.');
    putFile(join(root, 'notes', path), 'mine');

    await change('notes', 2, 'Third.');
    expect((await round(root)).problems).toEqual([expect.stringMatching(/^version 3 .* or keeps hidden files there$/)]);
    await archiveSkill(target.database, { name: 'notes', note: '' });
    await round(root);

    expect([readFileSync(join(root, 'notes', path), 'utf8'), body(root, 'notes')]).toEqual(['mine', 'Second.']);
  },
);

test('a skill of a person in any directory is neither replaced nor hidden', async () => {
  const [root, more] = [
    skillTree({ 'notes/SKILL.md': skillText('notes') }),
    skillTree({ 'mail/SKILL.md': skillText('mail') }),
  ];
  const nested = skillTree({ 'team/post/SKILL.md': skillText('post') });
  for (const name of ['notes', 'mail', 'post']) await create(name);
  const { changed, problems } = await round(root, more, nested);
  expect(changed).toEqual([]);
  expect(problems).toHaveLength(3);
  expect(visible(root)).toEqual(['notes']);
  expect(body(root, 'notes')).toBe('Do what notes says.');
});

test('a skill that a person hands over is written like others, until somebody edits it again', async () => {
  const root = skillTree({ 'notes/SKILL.md': skillText('notes') });
  const adopt = async () => {
    const skill = loadSkills([root]).skills.get('notes')!;
    const { name, description } = skill;
    return adoptSkill(target.database, { name, description, note: '', files: readSkillFiles(skill) });
  };
  expect(await adopt()).toBe(1);
  expect(await round(root)).toEqual({ changed: [], problems: [] });
  await change('notes', 1, 'Second.');
  expect(await round(root)).toEqual({ changed: ['notes'], problems: [] });
  expect(loadSkills([root]).skills.get('notes')).toMatchObject({ body: 'Second.', origin: 'agent', version: '2' });

  const file = join(root, 'notes/SKILL.md');
  writeFileSync(file, readFileSync(file, 'utf8').replace('Second.', 'Mine.'));
  await change('notes', 2, 'Third.');
  const { changed, problems } = await round(root);
  expect([changed, problems]).toEqual([[], [expect.stringContaining('animus skill adopt notes')]]);
  expect(body(root, 'notes')).toBe('Mine.');

  expect(await adopt()).toBe(4);
  expect(await round(root)).toEqual({ changed: [], problems: [] });
  await change('notes', 4, 'Fifth.');
  await round(root);
  expect(body(root, 'notes')).toBe('Fifth.');
});

test('two daemons at once end with one whole skill, and leave nothing behind', async () => {
  const root = skillTree({});
  await create('notes');
  for (let version = 1; version <= 6; version++) {
    const results = await Promise.all([round(root), round(root), round(root)]);
    for (const { problems } of results) expect(problems).toEqual([]);
    await change('notes', version, `Text ${version}.`);
  }
  await Promise.all([round(root), round(root)]);
  expect([body(root, 'notes'), visible(root)]).toEqual(['Text 6.', ['notes']]);
});

test('what is edited between the look and the exchange comes back', async () => {
  const root = skillTree({ 'notes/SKILL.md': 'one' });
  const seen = hashOnDisk(join(root, 'notes')) as string;
  putFile(join(root, 'notes/SKILL.md'), 'mine');
  expect(await exchangeFolder(root, 'notes', [{ path: 'SKILL.md', content: Buffer.from('two') }], seen)).toBe(false);
  expect(await exchangeFolder(root, 'notes', [{ path: 'SKILL.md', content: Buffer.from('two') }], null)).toBe(false);
  expect([readFileSync(join(root, 'notes/SKILL.md'), 'utf8'), visible(root)]).toEqual(['mine', ['notes']]);
});

test('what a killed daemon left is removed, and a person’s folder that was moved aside goes back', async () => {
  const root = skillTree({ 'notes/SKILL.md': 'ours', 'mail/SKILL.md': 'mine' });
  const ours = hashOnDisk(join(root, 'notes'));
  const move = (from: string, to: string) => renameSync(join(root, from), join(root, to));
  move('notes', '.animus-skill-notes-01999999-0000-7000-8000-000000000001-old');
  move('mail', '.animus-skill-mail-01999999-0000-7000-8000-000000000002-old');
  mkdirSync(join(root, '.animus-skill-half-01999999-0000-7000-8000-000000000003'));
  mkdirSync(join(root, '.animus-other'));
  const recover = () => recoverFolders(root, (_name, hash) => hash === ours);
  await recover();
  expect(visible(root)).toHaveLength(4);
  const realNow = Date.now;
  onTestFinished(() => void (Date.now = realNow));
  Date.now = () => realNow() + 3_600_000;
  await recover();
  expect(visible(root)).toEqual(['.animus-other', 'mail']);
});

test('on a full disk nothing is half written, it is reported, and done when there is room', async ({ skip }) => {
  const disk = mountSmallDisk('64k');
  if (disk === null) skip('this user may not mount a disk');
  const root = join(disk!, 'skills');
  await create('notes');
  await round(root);
  await change('notes', 1, 'Second. '.repeat(8000));
  putFile(join(disk!, 'ballast'), Buffer.alloc(40 * 1024));
  const { changed, problems } = await round(root);
  expect([changed, problems]).toEqual([
    [],
    [expect.stringMatching(/skill notes could not be written .*no space left/)],
  ]);
  expect([body(root, 'notes'), visible(root)]).toEqual(['First.', ['notes']]);
  await archiveSkill(target.database, { name: 'notes', note: '' });
  await round(root);
  expect(existsSync(join(root, 'notes'))).toBe(false);
});
