import { createHash } from 'node:crypto';
import { readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadSkills } from '../../../src/catalog/skills/load-skills.ts';
import type { ReadSkill } from '../../../src/catalog/skills/read-skill.ts';
import { readSkillFiles } from '../../../src/catalog/skills/read-skill-files.ts';
import { putFile, skillText, skillTree } from '../../support/skill-tree.ts';

test('what is wrong in SKILL.md is said beside what is wrong with other files', () => {
  const root = skillTree({ 'one/SKILL.md': skillText('one', { front: 'author: ada' }), 'one/notes.md': 'x' });
  symlinkSync('/etc/hostname', join(root, 'one/leak'));
  const { skills, problems } = loadSkills([root]);
  expect(skills.size).toBe(0);
  expect(problems.map(({ message }) => message)).toEqual([
    expect.stringContaining('leak'),
    expect.stringContaining('"author" is not a field of the format'),
  ]);
});

test('a problem of a skill names it as it names itself, and as its folder if it has no name', () => {
  const root = skillTree({ 'folder/SKILL.md': skillText('named'), 'nameless/SKILL.md': 'no front matter' });
  const { problems } = loadSkills([root]);
  expect(problems.map(({ skill, file }) => [skill, file.slice(root.length)])).toEqual([
    ['named', '/folder/SKILL.md'],
    ['nameless', '/nameless/SKILL.md'],
  ]);
});

test('a skill is read with all that it says', () => {
  const front = [
    'license: MIT',
    'compatibility: Needs git',
    'allowed-tools: Bash(git:*) Read',
    'metadata:',
    '  author: ada',
    '  animus.version: "1.2"',
    '  animus.faculties: engineer reviewer',
    '  animus.keywords: release, change log',
    '  animus.params: kind=release, target=a|b',
    '  animus.depends: other',
    '  animus.conflicts: third, fourth',
    '  animus.command: release',
  ].join('\n');
  const root = skillTree({
    'one/SKILL.md': skillText('one', { front, body: 'First line.\n\nSecond line.' }),
    'one/prompt.md': 'Short.\r\nAnd sweet.\n',
    'one/scripts/run.py': 'print(1)\n',
    'one/.git/config': 'hidden',
    'one/__pycache__/x.pyc': 'left behind',
    'other/SKILL.md': skillText('other'),
  });

  const { skills, problems } = loadSkills([root]);

  expect(problems).toEqual([]);
  expect([...skills.keys()]).toEqual(['one', 'other']);
  expect(skills.get('one')).toMatchObject({
    name: 'one',
    description: 'What one is for, and when to use it.',
    license: 'MIT',
    compatibility: 'Needs git',
    allowedTools: 'Bash(git:*) Read',
    metadata: { author: 'ada', 'animus.version': '1.2' },
    body: 'First line.\n\nSecond line.',
    prompt: 'Short.\nAnd sweet.',
    directory: join(root, 'one'),
    triggers: {
      faculties: ['engineer', 'reviewer'],
      keywords: ['release', 'change log'],
      params: { kind: ['release'], target: ['a', 'b'] },
      auto: true,
    },
    depends: ['other'],
    conflicts: ['third', 'fourth'],
    version: '1.2',
    origin: 'person',
    command: 'release',
  });
  expect(skills.get('one')?.files.map(({ path }) => path)).toEqual(['SKILL.md', 'prompt.md', 'scripts/run.py']);
  expect(skills.get('other')?.triggers).toEqual({ faculties: [], keywords: [], params: {}, auto: false });
  expect(Object.isFrozen(skills.get('one')?.triggers.params)).toBe(true);
});

test('the content hash is that of what sha256sum prints', () => {
  const root = skillTree({ 'a/SKILL.md': skillText('a'), 'a/b/c.txt': 'c', 'a/B.txt': 'B' });

  const skill = loadSkills([root]).skills.get('a');

  const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');
  const lines = ['B.txt', 'SKILL.md', 'b/c.txt'].map(
    (path) => `${sha256(readFileSync(join(root, 'a', path)))}  ${path}\n`,
  );
  expect(skill?.contentHash).toBe(sha256(lines.join('')));
});

test('the first directory wins a collision, and the problem names both', () => {
  const first = skillTree({ 'deep/er/same/SKILL.md': skillText('same') });
  const second = skillTree({ 'same/SKILL.md': skillText('same'), 'z/SKILL.md': skillText('z') });

  const { skills, problems } = loadSkills([first, second]);

  expect(skills.get('same')?.directory).toBe(join(first, 'deep/er/same'));
  expect([...skills.keys()]).toEqual(['same', 'z']);
  expect(problems).toMatchObject([{ level: 'error', skill: 'same', file: join(second, 'same/SKILL.md') }]);
  expect(problems[0]?.message).toContain(join(first, 'deep/er/same'));
});

test('unchanged skills are not read again, changed ones are', () => {
  const root = skillTree({ 'a/SKILL.md': skillText('a'), 'b/SKILL.md': skillText('b') });
  const known = new Map<string, ReadSkill>();
  const before = loadSkills([root], { known });
  // As if the files were older than what a clock of a file system can distinguish.
  for (const [directory, read] of known) known.set(directory, { ...read, settled: true });
  writeFileSync(join(root, 'b/SKILL.md'), skillText('b', { body: 'Changed.' }));

  const after = loadSkills([root], { known });

  expect(after.skills.get('a')).toBe(before.skills.get('a'));
  expect(after.skills.get('b')?.body).toBe('Changed.');
});

test('the files of a skill are read as they were hashed, or not at all', () => {
  const root = skillTree({ 'a/SKILL.md': skillText('a'), 'a/data.bin': Buffer.from([0, 255, 1]) });
  const skill = loadSkills([root]).skills.get('a');
  if (skill === undefined) throw new Error('not loaded');

  expect(readSkillFiles(skill)).toEqual([
    { path: 'SKILL.md', content: Buffer.from(skillText('a')) },
    { path: 'data.bin', content: Buffer.from([0, 255, 1]) },
  ]);

  putFile(join(root, 'a/data.bin'), Buffer.from([0, 255, 2]));
  expect(() => readSkillFiles(skill)).toThrow(expect.objectContaining({ code: 'skill.changed' }));

  renameSync(join(root, 'a'), join(root, 'elsewhere'));
  expect(() => readSkillFiles(skill)).toThrow(expect.objectContaining({ code: 'skill.changed' }));
});

test('a link inside a skill is its file, a link out of it is refused', () => {
  const root = skillTree({
    'in/SKILL.md': skillText('in'),
    'in/a.txt': 'a',
    'out/SKILL.md': skillText('out'),
    'secret.txt': 'secret',
  });
  symlinkSync('a.txt', join(root, 'in/b.txt'));
  symlinkSync('../secret.txt', join(root, 'out/c.txt'));

  const { skills, problems } = loadSkills([root]);

  expect(skills.get('in')?.files.map(({ path }) => path)).toEqual(['SKILL.md', 'a.txt', 'b.txt']);
  expect(skills.has('out')).toBe(false);
  expect(problems).toMatchObject([
    { level: 'error', file: join(root, 'out/c.txt'), what: 'is a link to something outside the skill' },
  ]);
});
