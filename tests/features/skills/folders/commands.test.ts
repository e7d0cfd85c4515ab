import { mkdirSync, symlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { projectDirectory } from '../../../cli/project-directory.ts';
import { skillText } from '../../../support/skill-tree.ts';

const { animus, path, write } = projectDirectory();

test('list shows the skills and counts the problems', async () => {
  write({
    'skills/one/SKILL.md': skillText('one'),
    'skills/two/SKILL.md': '---\nname: two\n---\nx',
    'skills/one/a.py': '1',
  });

  const listed = await animus('skill', 'list');
  expect(listed).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^NAME +FILES +BY +DESCRIPTION\none +2 +person +What one is for/),
  });
  expect(listed.stderr).toBe('animus: 1 problem; run: animus skill check\n');

  const json = JSON.parse((await animus('skill', 'list', '--json')).stdout);
  expect(json).toMatchObject({
    directories: [path('skills')],
    skills: [{ name: 'one', files: 2, origin: 'person', content_hash: expect.stringMatching(/^[0-9a-f]{64}$/) }],
    problems: [{ level: 'error', skill: 'two', line: null, what: 'has no description' }],
  });
});

test('skills come from --skills, else ./skills, else the home; then from animus.toml', async () => {
  write({
    'home/skills/of-home/SKILL.md': skillText('of-home'),
    'more/of-more/SKILL.md': skillText('of-more'),
    'given/of-given/SKILL.md': skillText('of-given'),
    'animus.toml': '[skills]\ndirectories = ["more"]\n',
  });
  const names = async (...words: string[]) =>
    JSON.parse((await animus('skill', 'list', '--json', ...words)).stdout).skills.map(
      ({ name }: { name: string }) => name,
    );

  expect(await names()).toEqual(['of-home', 'of-more']);
  mkdirSync(path('skills'));
  expect(await names()).toEqual(['of-more']);
  expect(await names('--skills', 'given')).toEqual(['of-given', 'of-more']);
  expect(await animus('skill', 'list', '--skills', 'nowhere')).toMatchObject({
    code: 2,
    stderr: `animus: --skills: ${path('nowhere')} is not a directory\n`,
  });
});

test('show prints a skill, and says that allowed-tools grants nothing', async () => {
  const front =
    'license: MIT\nallowed-tools: Bash\nmetadata:\n  animus.keywords: release, tag\n  animus.depends: other';
  write({
    'skills/one/SKILL.md': skillText('one', { front, body: 'Do *this*.' }),
    'skills/one/prompt.md': 'And that.',
  });

  const shown = await animus('skill', 'show', 'one');
  expect(shown.code).toBe(0);
  expect(shown.stdout).toMatch(/allowed-tools +Bash \(ignored: a skill grants nothing\)/);
  expect(shown.stdout).toMatch(/activated +automatically by the words release, tag/);
  expect(shown.stdout).toMatch(/remark .*needs the skill other, which does not exist/);
  expect(shown.stdout).toMatch(/SKILL\.md\n {2}Do \*this\*\.\n\nprompt\.md\n {2}And that\.\n$/);

  const json = JSON.parse((await animus('skill', 'show', 'one', '--json')).stdout);
  expect(json).toMatchObject({
    name: 'one',
    allowed_tools: 'Bash',
    body: 'Do *this*.',
    prompt: 'And that.',
    triggers: { keywords: ['release', 'tag'], auto: true },
    files: [{ path: 'SKILL.md' }, { path: 'prompt.md', bytes: 9 }],
  });
});

test('show of an unknown skill suggests one, and says why a broken one is not there', async () => {
  write({
    'skills/release-notes/SKILL.md': skillText('release-notes'),
    'skills/broken/SKILL.md': '---\nname: broken\n',
  });

  expect(await animus('skill', 'show', 'relase-notes')).toMatchObject({
    code: 3,
    stderr: 'animus: no skill named relase-notes (did you mean release-notes?)\n',
  });
  expect((await animus('skill', 'show', 'broken')).stderr).toContain(
    `no skill named broken: it was left out, because ${path('skills/broken/SKILL.md')}:1: its front matter has no end`,
  );
});

test('check reports every problem with file and line, and exits 2 if a skill is left out', async () => {
  write({
    'skills/good/SKILL.md': skillText('good'),
    'skills/odd/SKILL.md': skillText('odd', { front: 'author: ada' }),
    'drafts/long/SKILL.md': skillText('long', { body: 'Do.\n'.repeat(600) }),
    'skills/bad/SKILL.md': '---\nname: bad\ndescription: &x y\n---\n\nDo.\n',
  });

  const checked = await animus('skill', 'check');
  expect(checked.code).toBe(2);
  expect(checked.stdout).toMatch(
    /^ok {7}good {2}.*\nok {7}odd {2}.*\nproblem {2}.*bad\/SKILL\.md:3: its front matter uses an anchor.*\nremark {2}.*odd\/SKILL\.md:4: "author" is not a field of the format/,
  );
  expect(await animus('skill', 'check', 'odd')).toMatchObject({ code: 0 });
  expect(await animus('skill', 'check', 'odd', '--strict')).toMatchObject({
    code: 2,
    stdout: expect.stringMatching(/^problem /),
  });
  expect(await animus('skill', 'check', './skills/good', '--strict')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^ok {7}good .*\n$/),
  });
  expect(await animus('skill', 'check', './drafts/long')).toMatchObject({ code: 0 });
  expect(await animus('skill', 'check', './drafts/long', '--strict')).toMatchObject({
    code: 2,
    stdout: expect.stringContaining('remark'),
  });
  expect((await animus('skill', 'check', 'godo')).stdout).toBe(
    'missing  no skill is named godo (did you mean good?)\n',
  );
  expect(await animus('skill', 'check', './nowhere')).toMatchObject({
    code: 2,
    stdout: expect.stringMatching(/^problem .*nowhere: cannot be read/),
  });

  const json = JSON.parse((await animus('skill', 'check', '--json')).stdout);
  expect(json).toMatchObject({
    ok: false,
    skills: ['good', 'odd'],
    missing: [],
    problems: [
      { level: 'error', skill: 'bad', line: 3, file: path('skills/bad/SKILL.md') },
      { level: 'warning', skill: 'odd', line: 4 },
    ],
  });
});

test('check of a directory does not report others whose names begin as its name', async () => {
  write({
    'skills/one/SKILL.md': skillText('one'),
    'skills/one-more/SKILL.md': 'broken',
    'skills/two/SKILL.md': skillText('two'),
  });
  const { stdout } = await animus('skill', 'check', './skills/one', 'two');
  expect(stdout).toBe(`ok       one  ${path('skills/one')}\nok       two  ${path('skills/two')}\n`);
});

test('no skills is not a problem', async () => {
  expect(await animus('skill', 'list')).toMatchObject({
    code: 0,
    stderr: `animus: no skills in ${path('home/skills')}\n`,
  });
  expect(await animus('skill', 'check')).toMatchObject({ code: 0 });
});

test('what a skill says cannot write to the terminal', async () => {
  write({ 'skills/one/SKILL.md': skillText('one', { body: 'red \u001b[31m, back \u202e' }) });
  symlinkSync('nowhere', path('skills/\u001b[31m'));

  const { stdout } = await animus('skill', 'show', 'one');

  expect(stdout).toContain('red \\x1b[31m, back \\u202e');
});
