import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../../../src/core/lifecycle/clock.ts';
import { createInterrupts } from '../../../../src/core/lifecycle/interrupts.ts';
import { projectDirectory } from '../../../cli/project-directory.ts';
import { canServeGit, git, gitRepository, serveRepository } from '../../../support/git-server.ts';
import { skillText, skillTree } from '../../../support/skill-tree.ts';

const { animus, path, write } = projectDirectory();
afterEach(() => vi.unstubAllEnvs());
const env = { PATH: process.env['PATH'] ?? '' };

test('add copies a skill from a directory into the directory of the skills', async () => {
  const source = skillTree({ 'one/SKILL.md': skillText('one'), 'one/scripts/a.py': '1', 'one/.env': 'KEY=secret' });

  const added = await animus('skill', 'add', `${source}/one`);

  expect(added).toMatchObject({ code: 0, stdout: `added one to ${path('home/skills/one')}\n` });
  expect(added.stderr).toContain('it contains scripts');
  expect(readdirSync(path('home/skills/one'))).toEqual(['SKILL.md', 'scripts']);
  expect(await animus('skill', 'list')).toMatchObject({ stdout: expect.stringContaining('one') });
});

test('add never overwrites without --force', async () => {
  write({ 'skills/one/SKILL.md': skillText('one', { body: 'Mine.' }) });
  const source = skillTree({ 'one/SKILL.md': skillText('one', { body: 'Theirs.' }) });

  expect(await animus('skill', 'add', source)).toMatchObject({
    code: 5,
    stderr: `animus: ${path('skills/one')} already exists; choose another directory, or replace it with --force\n`,
  });
  expect(readFileSync(path('skills/one/SKILL.md'), 'utf8')).toContain('Mine.');

  expect(await animus('skill', 'add', source, '--force')).toMatchObject({ code: 0 });
  expect(readFileSync(path('skills/one/SKILL.md'), 'utf8')).toContain('Theirs.');
});

test('add asks which of several skills, and adds those that are named, or all', async () => {
  const source = skillTree({ 'a/SKILL.md': skillText('a'), 'deep/b/SKILL.md': skillText('b'), 'c/SKILL.md': '---\n' });

  expect(await animus('skill', 'add', source)).toMatchObject({
    code: 2,
    stderr: `animus: ${source}: contains 2 skills; name those to add, or use --all: a, b\n`,
  });
  expect((await animus('skill', 'add', source, 'bb')).stderr).toContain(
    'contains no skill named bb (did you mean b?); it has: a, b',
  );
  const json = JSON.parse((await animus('skill', 'add', source, 'b', '--json')).stdout);
  expect(json).toMatchObject({ added: [{ name: 'b', directory: path('home/skills/b') }], commit: null, remarks: [] });
  // With --all, a broken one stops it before anything is written.
  expect(await animus('skill', 'add', source, '--all')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/c\/SKILL\.md:1: its front matter has no end/),
  });
  expect(readdirSync(path('home/skills'))).toEqual(['b']);
});

test('add takes a skill that is sound, whatever is wrong with other folders of the collection', async () => {
  const source = skillTree({
    'a/SKILL.md': skillText('a'),
    'Docs/SKILL.md': 'no front matter',
    'c/skill.md': skillText('c'),
  });

  expect(await animus('skill', 'add', source, 'a')).toMatchObject({ code: 0 });
  expect(await animus('skill', 'add', source, 'c')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('c/skill.md: must be named SKILL.md, in capital letters'),
  });
});

test('add refuses what is broken or leads out, and installs nothing', async () => {
  const source = skillTree({ 'one/SKILL.md': skillText('one') });
  symlinkSync('/etc/passwd', `${source}/one/passwd`);

  expect(await animus('skill', 'add', source)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is a link to something outside the skill'),
  });
  expect((await animus('skill', 'add', skillTree({ 'x.md': '' }))).stderr).toContain('contains no skill');
  expect((await animus('skill', 'add', path('nowhere'))).stderr).toContain(
    'nowhere: cannot be read: no such file or directory',
  );
  expect(existsSync(path('home/skills'))).toBe(false);
});

test.each([
  ['file:///etc/skills.git', 'is fetched only by https or ssh; for a local repository, give its directory'],
  ['http://example.com/skills.git', 'is fetched only by https or ssh'],
  ['git://example.com/skills.git', 'is fetched only by https or ssh'],
  ['ext::sh -c touch% /tmp/x', 'neither a directory nor the URL|fetched only by'],
  ['https://ada:hunter2@example.com/x.git', 'do not write a password into the URL'],
  ['ssh://-oProxyCommand=x/y', 'neither a directory|fetched only by'],
])('add refuses %s', async (source, why) => {
  const { code, stderr } = await animus('skill', 'add', '--', source);
  expect(code).toBe(2);
  expect(stderr).toMatch(new RegExp(why));
  expect(stderr).not.toContain('hunter2');
});

describe.skipIf(!canServeGit())('from a git repository', () => {
  test('add clones a git repository, at a branch if one is given', async () => {
    const repository = gitRepository({ 'skills/one/SKILL.md': skillText('one') });
    git(repository, 'checkout', '-qb', 'next');
    write({});
    const { url } = await serveRepository(repository);

    const added = JSON.parse((await animus('skill', 'add', url, '--ref', 'main', '--json', { env })).stdout);

    expect(added).toMatchObject({ added: [{ name: 'one' }], commit: git(repository, 'rev-parse', 'HEAD').trim() });
    expect(readdirSync(path('home/skills/one'))).toEqual(['SKILL.md']);
    expect((await animus('skill', 'add', url, '--ref', 'nosuch', { env })).stderr).toContain(
      'Remote branch nosuch not found',
    );
  });

  test('a clone runs no hook and no filter, and fetches no submodule', async () => {
    const inner = gitRepository({ 'x/SKILL.md': skillText('x') });
    const files = {
      'one/SKILL.md': skillText('one'),
      'one/data.txt': 'data\n',
      '.gitattributes': '* filter=evil\n',
      '.gitmodules': `[submodule "sub"]\n\tpath = sub\n\turl = ${inner}\n`,
    };
    const repository = gitRepository(files);
    git(repository, 'update-index', '--add', '--cacheinfo', `160000,${git(inner, 'rev-parse', 'HEAD').trim()},sub`);
    git(repository, 'commit', '-qm', 'submodule');
    const { url } = await serveRepository(repository);
    // The user's own configuration names programs.
    const home = skillTree({
      '.gitconfig': `[filter "evil"]\n\tsmudge = touch ${path('ran')} && cat\n[submodule]\n\trecurse = true\n[protocol "file"]\n\tallow = always\n`,
    });

    expect(await animus('skill', 'add', url, { env: { ...env, HOME: home } })).toMatchObject({ code: 0 });

    expect(existsSync(path('ran'))).toBe(false);
    expect(readFileSync(path('home/skills/one/data.txt'), 'utf8')).toBe('data\n');
  });

  test('Ctrl-C during a clone leaves nothing', async () => {
    const interrupts = createInterrupts(systemClock);
    const repository = gitRepository({ 'one/SKILL.md': skillText('one') });
    const { url, requests } = await serveRepository(repository);
    const temporary = skillTree({});
    vi.stubEnv('TMPDIR', temporary);
    // Interrupted as soon as git has asked for the first time.
    const push = requests.push.bind(requests);
    requests.push = (...each) => {
      interrupts.receive('SIGINT');
      return push(...each);
    };

    const { code, stderr } = await animus('skill', 'add', url, { env, interrupts });

    expect({ code, stderr }).toEqual({ code: 130, stderr: 'animus: stopped\n' });
    expect(existsSync(path('home/skills'))).toBe(false);
    expect(readdirSync(temporary)).toEqual([]);
  });
});
