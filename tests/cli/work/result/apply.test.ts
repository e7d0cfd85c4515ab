/** `animus work apply` into real repositories. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testDatabase } from '../../../support/database.ts';
import { handOver, LINE_5, stateOf, TEN, write } from '../../../support/handed-over.ts';
import { commit, git } from '../../../support/worktree.ts';
import { commandSite } from '../command-site.ts';

const db = testDatabase();
const { animus } = commandSite(db);

const apply = (item: { id: string; home: string; repo: string }, ...options: string[]) =>
  animus(['work', 'apply', item.id, ...options], { cwd: item.repo, env: env(item.home) });
const env = (home: string) => ({
  ANIMUS_HOME: home,
  PATH: process.env['PATH']!,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
});
const read = (repo: string, file: string) => readFileSync(join(repo, file), 'utf8');

test('a branch that only adds to what is here is a fast-forward, by every name of the item', async () => {
  const item = await handOver(db.database);
  const { code, stdout, stderr } = await apply({ ...item, id: item.name });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain(`applied  1 commit: main in ${item.repo} (fast-forward)`);
  expect(stdout).toContain(`animus work discard ${item.name}`);
  expect(git(item.repo, 'rev-parse', 'main')).toBe(item.tip);
  expect(read(item.repo, 'a.txt')).toBe(LINE_5);
  expect(git(item.repo, 'status', '--porcelain')).toBe('');
  const again = await apply(item);
  expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('has everything of it already') });
});

test('a branch beside which others were made is merged, as the user and by their name', async () => {
  const item = await handOver(db.database, { commits: [{ 'a.txt': LINE_5 }, { 'b.txt': 'new\n' }] });
  write(item.repo, { 'c.txt': 'mine\n' });
  git(item.repo, 'add', '.');
  git(item.repo, 'commit', '-q', '-m', 'mine');
  const mine = git(item.repo, 'rev-parse', 'HEAD');
  const { code, stdout } = await apply(item, '--json');
  expect(code).toBe(0);
  const head = git(item.repo, 'rev-parse', 'HEAD');
  expect(JSON.parse(stdout)).toMatchObject({
    work_item_id: item.id,
    applied: true,
    mode: 'merge',
    into: item.repo,
    branch: 'main',
    from: item.branch,
    before: mine,
    commit: head,
    how: 'merge commit',
  });
  expect(git(item.repo, 'rev-parse', 'HEAD^1', 'HEAD^2')).toBe(`${mine}\n${item.tip}`);
  expect(git(item.repo, 'log', '-1', '--format=%an %s%n%b')).toBe(
    `Olga Merge branch '${item.branch}'\nLine five is a word`,
  );
  expect([read(item.repo, 'a.txt'), read(item.repo, 'b.txt'), read(item.repo, 'c.txt')]).toEqual([
    LINE_5,
    'new\n',
    'mine\n',
  ]);
});

describe('what was left uncommitted comes along', () => {
  const given = { commits: [{ 'b.txt': 'new\n' }], rest: { 'a.txt': LINE_5, 'd.txt': 'left\n' } };

  test.each(['--merge', '--cherry-pick'])('%s: as one commit with the summary, by its author', async (mode) => {
    const item = await handOver(db.database, given);
    expect(await apply(item, mode)).toMatchObject({ code: 0, stdout: expect.stringContaining('applied  2 commits') });
    expect(git(item.repo, 'log', '--format=%an|%s', '-2')).toBe(
      'engineer via animus|Line five is a word\nengineer via animus|step 1',
    );
    expect(git(item.repo, 'log', '-1', '--format=%(trailers:key=Submitted-by,valueonly)')).toBe('olga');
    expect(read(item.repo, 'd.txt')).toBe('left\n');
    expect(git(item.repo, 'status', '--porcelain')).toBe('');
  });

  test.each(['--squash', '--patch'])('%s: staged with the rest', async (mode) => {
    const item = await handOver(db.database, given);
    const before = git(item.repo, 'rev-parse', 'HEAD');
    expect(await apply(item, mode)).toMatchObject({ code: 0, stdout: expect.stringContaining('staged') });
    expect(git(item.repo, 'rev-parse', 'HEAD')).toBe(before);
    expect(git(item.repo, 'status', '--porcelain')).toBe('M  a.txt\nA  b.txt\nA  d.txt');
    git(item.repo, 'commit', '-q', '--no-edit', '--cleanup=strip');
    expect(git(item.repo, 'log', '-1', '--format=%s')).toBe('Line five is a word');
  });
});

test('commits are picked one by one; one that is here already is left out', async () => {
  const item = await handOver(db.database, { commits: [{ 'b.txt': 'new\n' }, { 'a.txt': LINE_5 }] });
  write(item.repo, { 'b.txt': 'new\n' });
  git(item.repo, 'add', '.');
  commit(item.repo, 'the same');
  expect(await apply(item, '--cherry-pick')).toMatchObject({ code: 0, stdout: expect.stringContaining('1 commit:') });
  expect(git(item.repo, 'log', '--format=%s')).toBe('step 2\nthe same\nfirst');
});

describe.each(['--merge', '--squash', '--cherry-pick', '--patch'])('%s', (mode) => {
  test('refuses a checkout with uncommitted changes, and names the files', async () => {
    const item = await handOver(db.database);
    write(item.repo, { 'a.txt': 'mine\n' });
    const before = stateOf(item.repo);
    const { code, stderr } = await apply(item, mode);
    expect(code).toBe(5);
    expect(stderr).toContain('has uncommitted changes in 1 file: a.txt; commit them, or put them away with git stash');
    expect(stateOf(item.repo)).toBe(before);
  });

  test('names conflicts, and leaves everything as it was', async () => {
    const item = await handOver(db.database);
    write(item.repo, { 'a.txt': TEN.replace('line 5', 'line V') });
    git(item.repo, 'add', '.');
    commit(item.repo, 'mine');
    const before = stateOf(item.repo);
    const { code, stderr } = await apply(item, mode);
    expect({ code, stderr }).toEqual({
      code: 5,
      stderr: expect.stringContaining('conflicts with what is here, in a.txt; nothing was changed'),
    });
    expect(stateOf(item.repo)).toBe(before);
  });

  test('does not overwrite a file that git does not know', async () => {
    const item = await handOver(db.database);
    write(item.repo, { 'b.txt': 'precious\n' });
    const before = stateOf(item.repo);
    const { code, stderr } = await apply(item, mode);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/b\.txt/) });
    expect(read(item.repo, 'b.txt')).toBe('precious\n');
    expect(stateOf(item.repo)).toBe(before);
  });

  test('takes names that begin with a dash, have newlines, spaces and other characters, and binary files', async () => {
    const names = {
      '-rf': 'a\n',
      'two\nlines': 'b\n',
      'mit Leerzeichen und ü': 'c\n',
      '"quoted"\t': 'd\n',
      'x.bin': '\0\u00ff\u0001',
    };
    const item = await handOver(db.database, { at: '-a dir\nwith two lines', commits: [names] });
    expect(await apply(item, mode)).toMatchObject({ code: 0 });
    for (const [name, content] of Object.entries(names)) {
      expect(readFileSync(join(item.repo, name), 'latin1'), name).toBe(content);
    }
  });
});

test('a clone gets the commits from the repository, another one only the patch', async () => {
  const item = await handOver(db.database);
  const clone = join(item.home, '..', 'clone');
  git(item.repo, 'clone', '-q', '--single-branch', '-b', 'main', `file://${item.repo}`, clone);
  expect(await apply(item, '--into', clone)).toMatchObject({ code: 0 });
  expect(git(clone, 'rev-parse', 'HEAD')).toBe(item.tip);

  const other = join(item.home, '..', 'other');
  mkdirSync(other);
  git(other, 'init', '-q', '-b', 'main');
  write(other, { 'a.txt': `first\n${TEN}` });
  git(other, 'add', '.');
  commit(other, 'unrelated');
  const refused = await apply(item, '--into', other);
  expect(refused.code).toBe(5);
  expect(refused.stderr).toContain(`is not the repository of work item ${item.name} (${item.repo}/.git)`);
  expect(refused.stderr).toContain(`the commit that it began at (${item.start.slice(0, 12)});`);
  expect(refused.stderr).toContain('--patch');
  expect(await apply(item, '--into', other, '--patch')).toMatchObject({ code: 0 });
  expect(read(other, 'a.txt')).toBe(`first\n${LINE_5}`);
});

test('git is not run where an agent works, nor outside of a repository, nor in the middle of a merge', async () => {
  const item = await handOver(db.database);
  git(item.directory, 'config', 'core.fsmonitor', `touch ${join(item.home, 'pwned')}; false`);
  for (const cwd of [item.directory, join(item.directory, '.git')]) {
    const inside = await animus(['work', 'apply', item.id], { cwd, env: env(item.home) });
    expect(inside).toMatchObject({ code: 5, stderr: expect.stringContaining('in which an agent works') });
  }
  const outside = await animus(['work', 'apply', item.id], { cwd: '/', env: env(item.home) });
  expect(outside).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('/ is not in a git repository; go to a checkout'),
  });
  writeFileSync(join(item.repo, '.git', 'MERGE_HEAD'), `${item.tip}\n`);
  expect(await apply(item)).toMatchObject({ code: 5, stderr: expect.stringContaining('in the middle of a merge') });
});

test('an item without a change, without a worktree, or that is unknown', async () => {
  const item = await handOver(db.database, { commits: [] });
  expect(await apply(item)).toMatchObject({ code: 0, stderr: expect.stringContaining('it changed nothing') });
  const [plain] = await db.database.query<{ id: string }>(
    `insert into animus.work_items (faculty) values ('x') returning id`,
  );
  expect(await apply({ ...item, id: plain!.id })).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('has no branch: it did not work in a worktree'),
  });
  expect(await apply({ ...item, id: '00000000-0000-7000-8000-000000000000' })).toMatchObject({ code: 3 });
  expect(await apply(item, '--squash', '--patch')).toMatchObject({ code: 2 });
});
