import { execFileSync } from 'node:child_process';
import { chmodSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { loadSkills } from '../../../src/catalog/skills/load-skills.ts';
import { readSkillFiles } from '../../../src/catalog/skills/read-skill-files.ts';
import { wrongSkillPath } from '../../../src/catalog/skills/skill-path.ts';
import { problemOf } from '../../support/skill-problem.ts';
import { putFile, skillText, skillTree } from '../../support/skill-tree.ts';

describe('nothing leads out of a skill', () => {
  const linked: [string, (root: string) => void][] = [
    ['a link to a file outside', (root) => symlinkSync(join(root, 'secret'), join(root, 'a/x'))],
    ['a relative link', (root) => symlinkSync('../secret', join(root, 'a/x'))],
    ['a link to a system file', (root) => symlinkSync('/etc/passwd', join(root, 'a/x'))],
    ['SKILL.md as a link', (root) => symlinkSync('../text.md', join(root, 'a/SKILL.md'))],
    [
      'a chain of links',
      (root) => {
        symlinkSync('../../secret', join(root, 'a/two'));
        symlinkSync('two', join(root, 'a/x'));
      },
    ],
    [
      'a link to a folder beside it with the same beginning',
      (root) => {
        putFile(join(root, 'a-secret/x'), 'secret');
        symlinkSync('../a-secret/x', join(root, 'a/x'));
      },
    ],
    ['a link to nothing', (root) => symlinkSync('nothing', join(root, 'a/x'))],
    ['a link to itself', (root) => symlinkSync('x', join(root, 'a/x'))],
    ['a link to the folder of the skill', (root) => symlinkSync('.', join(root, 'a/x'))],
    ['a link to a folder', (root) => symlinkSync('/etc', join(root, 'a/x'))],
    ['a link to a device', (root) => symlinkSync('/dev/zero', join(root, 'a/x'))],
    ['a named pipe', (root) => execFileSync('mkfifo', [join(root, 'a/x')])],
    ['SKILL.md as a named pipe', (root) => execFileSync('mkfifo', [join(root, 'a/SKILL.md')])],
    [
      'a file that nobody may read',
      (root) => {
        writeFileSync(join(root, 'a/x'), '');
        chmodSync(join(root, 'a/x'), 0);
      },
    ],
  ];
  test.each(linked)('%s', (what, prepare) => {
    const root = skillTree({ secret: 'secret', 'text.md': skillText('a') });
    mkdirSync(join(root, 'a'));
    if (!what.startsWith('SKILL.md')) putFile(join(root, 'a/SKILL.md'), skillText('a'));
    prepare(root);
    if (what.includes('nobody') && process.getuid?.() === 0) return;
    expect(problemOf(root)).toMatch(/^a\/\w[\w.]*: (is a link|is not a regular file|cannot be read)/);
  });

  const sockets: ReturnType<typeof createServer>[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.close();
  });
  test('a socket', async () => {
    const root = skillTree({ 'a/SKILL.md': skillText('a') });
    const socket = createServer();
    sockets.push(socket);
    await new Promise<void>((listening) => socket.listen(join(root, 'a/x'), listening));
    expect(problemOf(root)).toBe('a/x: is not a regular file (but a pipe, socket or device)');
  });

  test('a folder that becomes a link after the skill was loaded', () => {
    const root = skillTree({ 'a/SKILL.md': skillText('a'), 'a/docs/x': 'x', 'other/x': 'x' });
    const skill = loadSkills([root]).skills.get('a');
    if (skill === undefined) throw new Error('not loaded');
    execFileSync('rm', ['-r', join(root, 'a/docs')]);
    symlinkSync('../other', join(root, 'a/docs'));
    expect(() => readSkillFiles(skill)).toThrow(expect.objectContaining({ code: 'skill.changed' }));
  });

  test('a link in place of a whole skill is a person’s, and followed once', () => {
    const root = skillTree({ 'elsewhere/a/SKILL.md': skillText('a'), 'skills/b/SKILL.md': skillText('b') });
    symlinkSync(join(root, 'elsewhere/a'), join(root, 'skills/a'));
    symlinkSync('b', join(root, 'skills/c'));
    symlinkSync('.', join(root, 'skills/loop'));
    const { skills, problems } = loadSkills([join(root, 'skills')]);
    expect([...skills.keys()]).toEqual(['a', 'b']);
    expect(problems).toEqual([]);
  });

  test.each([
    '../x',
    '..',
    '/etc/passwd',
    'a/../../x',
    './x',
    'a//b',
    'a/',
    '',
    '.env',
    '.git/config',
    'a/.hidden',
    'node_modules/x',
    'a\\b',
    'a\0b',
    'a\nb',
    'C:\\x',
    'a\u2028b',
    'e\u0301',
    'x'.repeat(401),
    'a/'.repeat(9) + 'x',
  ])('the path %j is refused', (path) => {
    expect(wrongSkillPath(path)).toEqual(expect.any(String));
  });

  test.each(['SKILL.md', 'scripts/run.py', 'references/Größe 日本語.md', 'a..b', 'C:x'])(
    'the path %j is accepted',
    (path) => {
      expect(wrongSkillPath(path)).toBeNull();
    },
  );
});

test('links that lead in a circle, nowhere, or to a file are not skills, and stop nothing', () => {
  const root = skillTree({ 'a/SKILL.md': skillText('a'), text: 'x' });
  symlinkSync('circle', join(root, 'circle'));
  symlinkSync('two', join(root, 'one'));
  symlinkSync('one', join(root, 'two'));
  symlinkSync('/nonexistent/x', join(root, 'nowhere'));
  symlinkSync('text', join(root, 'file'));
  symlinkSync('x'.repeat(300), join(root, 'long'));

  const { skills, problems } = loadSkills([root]);

  expect([[...skills.keys()], problems]).toEqual([['a'], []]);
});

describe('odd names', () => {
  // Other systems refuse such names, or take them for one.
  const onLinux = test.skipIf(process.platform !== 'linux');

  onLinux('a file name that is not UTF-8', () => {
    const root = skillTree({ 'a/SKILL.md': skillText('a') });
    writeFileSync(Buffer.concat([Buffer.from(`${root}/a/`), Buffer.from([0xff, 0xfe])]), 'x');
    expect(problemOf(root)).toBe('a: contains a file whose name is not UTF-8');
  });

  test.each(['line\nend', 'tab\tbed', 'esc\u001b[31m', 'back\\slash', 'del\u007f'])('a file named %j', (name) => {
    const root = skillTree({ 'a/SKILL.md': skillText('a') });
    writeFileSync(join(root, 'a', name), '');
    expect(problemOf(root)).toMatch(/^a: contains a file whose name contains/);
  });

  onLinux('names that some systems take for one', () => {
    const root = skillTree({ 'a/SKILL.md': skillText('a'), 'a/Read.md': '1', 'a/READ.md': '2' });
    expect(problemOf(root)).toMatch(/^a\/Read\.md: has a name that differs from another only in case/);
  });

  test('the same file name in two Unicode forms has the same hash', () => {
    const [composed, decomposed] = ['\u00e9', 'e\u0301'].map((letter) => {
      const root = skillTree({ 'a/SKILL.md': skillText('a'), [`a/caf${letter}.md`]: 'x' });
      return loadSkills([root]).skills.get('a');
    });
    expect(composed?.contentHash).toBe(decomposed?.contentHash);
    expect(decomposed?.files.map(({ path }) => path)).toContain('caf\u00e9.md');
    if (decomposed !== undefined) expect(readSkillFiles(decomposed)).toHaveLength(2);
  });

  test('a hard link is an ordinary file', () => {
    const root = skillTree({ 'a/SKILL.md': skillText('a'), 'a/x': 'x' });
    linkSync(join(root, 'a/x'), join(root, 'a/y'));
    expect(loadSkills([root]).skills.get('a')?.files).toHaveLength(3);
  });
});
