/** `animus work checkout`, `discard` and `worktrees`, and where they are named. */
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testDatabase } from '../../../support/database.ts';
import { type HandedOver, handOver, LINE_5, TEN, write } from '../../../support/handed-over.ts';
import { createLogin, dropLogins } from '../../../support/role-login.ts';
import { commit, git } from '../../../support/worktree.ts';
import { commandSite } from '../command-site.ts';

const db = testDatabase();
const { animus } = commandSite(db);

const run = (item: Pick<HandedOver, 'home'>, argv: string[], cwd: string, more: object = {}) =>
  animus(argv, {
    cwd,
    env: {
      ANIMUS_HOME: item.home,
      PATH: process.env['PATH']!,
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
    },
    ...more,
  });
const row = async (id: string) =>
  (
    await db.database.query<{ state: string; discard_by: string | null }>(
      'select state, discard_by from animus.worktrees where id = $1',
      [id],
    )
  )[0];

test('checkout switches to the branch where one stands, with what was left uncommitted', async () => {
  const item = await handOver(db.database, {
    commits: [{ 'b.txt': 'new\n' }],
    rest: { 'a.txt': LINE_5, 'd.txt': 'left\n' },
  });
  const { code, stdout } = await run(item, ['work', 'checkout', item.id], item.repo);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('back:     git switch main') });
  expect(git(item.repo, 'branch', '--show-current')).toBe(item.branch);
  expect(git(item.repo, 'status', '--porcelain')).toBe('M a.txt\n?? d.txt');
  expect(await run(item, ['work', 'checkout', item.id], item.repo)).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('uncommitted changes in 1 file: a.txt'),
  });
});

test('checkout makes a worktree in another directory, also in a clone, and leaves a branch that has moved', async () => {
  const item = await handOver(db.database, { rest: { 'd.txt': 'left\n' } });
  const place = join(item.home, '..', '-review here');
  const { code, stdout } = await run(item, ['work', 'checkout', item.id, '--json', '--', place], item.repo);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ directory: place, branch: item.branch, rest: 'put' });
  expect(readFileSync(join(place, 'd.txt'), 'utf8')).toBe('left\n');
  expect(await run(item, ['work', 'checkout', item.id, '--', place], item.repo)).toMatchObject({ code: 5 });
  commit(place, 'by a person');
  git(item.repo, 'worktree', 'remove', '--force', place);
  expect(await run(item, ['work', 'checkout', item.id, '--', place], item.repo)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('has moved since'),
  });
  const clone = join(item.home, '..', 'clone');
  git(item.repo, 'clone', '-q', '--single-branch', '-b', 'main', `file://${item.repo}`, clone);
  expect(await run(item, ['work', 'checkout', item.id], clone)).toMatchObject({ code: 0 });
  expect(git(clone, 'rev-parse', item.branch)).toBe(item.tip);
});

test('discard removes directory, branch and refs; only after it was confirmed', async () => {
  const item = await handOver(db.database, { rest: { 'd.txt': 'left\n' }, holds: ['ignored'] });
  const outside = join(item.home, 'outside');
  write(outside, { 'kept.txt': 'kept\n' });
  symlinkSync(outside, join(item.directory, 'link'));
  mkdirSync(join(item.directory, 'cache'), { mode: 0o700 });
  writeFileSync(join(item.directory, 'cache', 'x'), 'x');
  expect(await run(item, ['work', 'discard', item.id], item.repo)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--yes'),
  });
  const no = await run(item, ['work', 'discard', item.id], item.repo, { typed: ['no'], terminal: 120 });
  expect(no).toMatchObject({ code: 1, stderr: expect.stringContaining('nothing was discarded') });
  expect(no.stdout).toContain('files that .gitignore names (ignored)');
  expect(await row(item.id)).toEqual({ state: 'kept', discard_by: null });
  const yes = await run(item, ['work', 'discard', item.id], item.repo, { typed: ['yes'], terminal: 200 });
  expect(yes).toMatchObject({ code: 0, stdout: expect.stringContaining('discarded') });
  expect(existsSync(item.directory)).toBe(false);
  expect(readFileSync(join(outside, 'kept.txt'), 'utf8')).toBe('kept\n');
  expect(git(item.repo, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
  expect((await row(item.id))?.state).toBe('discarded');
  expect(await run(item, ['work', 'discard', item.id, '--yes'], item.repo)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('already'),
  });
  const decisions = await db.database.query('select action, note from animus.decisions where work_item_id = $1', [
    item.id,
  ]);
  expect(decisions).toEqual([
    { action: 'discard', note: expect.stringContaining(`${item.branch}, ${item.directory} on `) },
  ]);
});

test('discard leaves a branch that a person uses, and refuses work that goes on', async () => {
  const moved = await handOver(db.database);
  git(moved.repo, 'checkout', '-q', moved.branch);
  expect(await run(moved, ['work', 'discard', moved.id, '--yes'], '/')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(`is checked out in ${moved.repo}`),
  });
  commit(moved.repo, 'mine');
  expect(git(moved.repo, 'for-each-ref', '--format=%(refname)', 'refs/animus')).toBe('');
  const looked = await handOver(db.database);
  git(looked.repo, 'worktree', 'add', '-q', join(looked.home, 'new\nline'), looked.branch);
  expect((await run(looked, ['work', 'discard', looked.id, '--yes'], '/')).stderr).toContain('is checked out in');
  expect(git(looked.repo, 'for-each-ref', '--format=%(refname)', 'refs/animus')).toBe('');
  const open = await handOver(db.database, { open: true });
  expect(await run(open, ['work', 'discard', open.id, '--yes'], '/')).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('cancel it first: animus work cancel'),
  });
});

test('discard of another place is left to its daemon; so is a directory that is something else', async () => {
  const item = await handOver(db.database);
  const elsewhere = join(item.home, 'elsewhere');
  mkdirSync(elsewhere);
  const { code, stderr } = await run({ home: elsewhere }, ['work', 'discard', item.id, '--yes'], '/');
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringContaining('a daemon of that host will do it within two minutes'),
  });
  expect(existsSync(item.directory)).toBe(true);
  expect((await row(item.id))?.state).toBe('kept');
  expect((await row(item.id))?.discard_by).toBeTruthy();
  const line = new RegExp(`^${item.id.slice(-12)} +discarding `, 'm');
  expect((await run(item, ['work', 'worktrees'], '/')).stdout).toMatch(line);

  const linked = await handOver(db.database);
  rmSync(linked.directory, { recursive: true });
  symlinkSync(linked.repo, linked.directory);
  expect((await run(linked, ['work', 'discard', linked.id, '--yes'], '/')).stderr).toContain('is not a directory');
  expect(readFileSync(join(linked.repo, 'a.txt'), 'utf8')).toBe(TEN);
});

test('only the submitter and operators discard; others do not learn that it exists', async () => {
  const logins: string[] = [];
  try {
    const submitter = await createLogin(db.connectionString, 'animus_submitter', logins);
    const reader = await createLogin(db.connectionString, 'animus_reader', logins);
    const item = await handOver(db.database, { submittedBy: new URL(submitter).username });
    const other = await handOver(db.database);
    const as = (url: string, id: string, ...argv: string[]) =>
      run(item, ['work', ...argv, id], item.repo, {
        env: {
          ANIMUS_HOME: item.home,
          DATABASE_URL: url,
          PATH: process.env['PATH']!,
          GIT_CONFIG_GLOBAL: '/dev/null',
          GIT_CONFIG_NOSYSTEM: '1',
        },
      });
    expect(await as(reader, item.id, 'discard', '--yes')).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('operator'),
    });
    expect(await as(submitter, other.id, 'discard', '--yes')).toMatchObject({ code: 3 });
    expect(await as(submitter, other.id, 'diff')).toMatchObject({ code: 3 });
    expect((await as(submitter, item.id, 'diff')).stdout).toContain('+line five');
    expect(await as(submitter, item.id, 'discard', '--yes')).toMatchObject({ code: 0 });
    expect((await row(item.id))?.state).toBe('discarded');
  } finally {
    await dropLogins(logins);
  }
});

test('show, list and status name what is there and the commands', async () => {
  const item = await handOver(db.database, { holds: ['stash'], lost: 'the directory was gone' });
  await db.database.query('update animus.worktrees set bytes = 1500000 where id = $1', [item.id]);
  const shown = await run(item, ['work', 'show', item.id], '/');
  for (const text of [
    `branch     ${item.branch} in ${item.repo}`,
    `directory  ${item.directory} on `,
    'only there changes that were stashed (stash)',
    'lost       the directory was gone',
    `animus work diff ${item.name}`,
    `animus work apply ${item.name}`,
  ])
    expect(shown.stdout).toContain(text);
  const document = JSON.parse((await run(item, ['work', 'show', item.id, '--json'], '/')).stdout) as {
    worktree: object;
  };
  expect(document.worktree).toMatchObject({
    branch: item.branch,
    path: item.directory,
    holds: ['stash'],
    commands: { diff: `animus work diff ${item.name}`, discard: `animus work discard ${item.name}` },
  });
  expect((await run(item, ['work', 'worktrees'], '/')).stdout).toMatch(
    new RegExp(`${item.name} +kept +engineer .* 1\\.5 MB +stash`),
  );
  expect((await run(item, ['status'], '/')).stdout).toMatch(
    /Worktrees \d+ kept worktrees.* on .*with something that is not on any branch/,
  );
});

test('what was lost is in the inbox until an operator has acknowledged it', async () => {
  const item = await handOver(db.database, { lost: 'the directory was gone' });
  const inbox = await run(item, ['inbox', item.id], '/');
  expect(inbox.stdout).toContain('lost something that its agent made');
  expect(inbox.stdout).toContain('the directory was gone');
  const [, ask = ''] = inbox.stdout.match(new RegExp(`animus work answer ${item.name} --ask (\\w{12}) 'seen'`)) ?? [];
  expect(await run(item, ['work', 'answer', item.name, 'seen', '--ask', ask], '/')).toMatchObject({ code: 0 });
  expect(await run(item, ['inbox', item.id], '/')).toMatchObject({
    stdout: '',
    stderr: expect.stringContaining('nothing waits'),
  });
  expect(await run(item, ['work', 'answer', item.name, 'seen', '--ask', ask], '/')).toMatchObject({ code: 3 });
  await db.database.query(`update animus.worktree_results set lost = lost || '; more' where work_item_id = $1`, [
    item.id,
  ]);
  expect((await run(item, ['inbox', item.id], '/')).stdout).toContain('gone; more');
});
