/** Ended worktrees: what retention removes, what it keeps, and what people discard from elsewhere. */
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { createWorktreeKeeper } from '../../../src/daemon/timers/worktree-keeper.ts';
import { discardWorktree } from '../../../src/store/work/kept-worktrees.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';
import { testDatabase } from '../../support/database.ts';
import { type HandedOver, handOver, LINE_5, write } from '../../support/handed-over.ts';
import { commit, git } from '../../support/worktree.ts';

const pg = testDatabase();
const db = () => pg.database;

const DAYS = {
  resolvedDays: 90,
  packDays: null,
  artifactsDays: 30,
  worktreeDays: 14,
  heldWorktreeDays: null,
  directoriesDays: 7,
};
const tend = async ({ home }: HandedOver, more: Partial<typeof DAYS> | { heldWorktreeDays: number } = {}) =>
  createWorktreeKeeper({
    db: db(),
    clock: systemClock,
    log: silentLog,
    home,
    retention: () => ({ ...DAYS, ...more }),
  }).tend();
const row = async ({ id }: HandedOver) =>
  (
    await db().query<{ state: string; holds: string[]; bytes: number | null }>(
      'select state, holds, bytes::float8 as bytes from animus.worktrees where id = $1',
      [id],
    )
  )[0]!;
const aged = async (item: HandedOver, days = 15) => {
  await db().query(`update animus.worktrees set updated_at = updated_at - make_interval(days => $2) where id = $1`, [
    item.id,
    days,
  ]);
  return item;
};

test('a directory whose content is all on its branch goes after its days, and the branch stays', async () => {
  const item = await handOver(db());
  expect(await tend(item)).toEqual({ removed: [], discarded: [], held: [] });
  expect((await row(item)).bytes).toBeGreaterThan(10_000);
  await aged(item);
  expect(await tend(item)).toEqual({ removed: [item.id], discarded: [], held: [] });
  expect(existsSync(item.directory)).toBe(false);
  expect((await row(item)).state).toBe('removed');
  expect(git(item.repo, 'rev-parse', item.branch)).toBe(item.tip);
});

const PERSONS: Record<string, readonly [string, (item: HandedOver) => void]> = {
  'a changed file': [
    'uncommitted',
    ({ directory }) => write(directory, { 'a.txt': LINE_5.replace('ten', 'X').concat('more\n') }),
  ],
  'a new file': ['uncommitted', ({ directory }) => write(directory, { 'new.txt': 'x' })],
  'a deleted file': ['uncommitted', ({ directory }) => write(directory, { 'b.txt': null })],
  'an ignored file': ['ignored', ({ directory }) => write(directory, { 'x.log': 'x' })],
  'a file that only its own exclude file hides': [
    'uncommitted',
    ({ directory }) => {
      write(directory, { '.git/info/exclude': 'secret\n', secret: 'x' });
    },
  ],
  'a stash': [
    'stash',
    ({ directory }) => {
      write(directory, { 'a.txt': 'x\n' });
      git(directory, '-c', 'user.name=x', '-c', 'user.email=x@x', 'stash');
    },
  ],
  'a commit on its branch': ['commits', ({ directory }) => commit(directory, 'more')],
  'a commit on another branch': [
    'commits',
    ({ directory, branch }) => {
      git(directory, 'checkout', '-q', '-b', 'other');
      commit(directory, 'more');
      git(directory, 'checkout', '-q', branch);
      git(directory, 'pack-refs', '--all');
    },
  ],
  'staged and taken away again': [
    'uncommitted',
    ({ directory }) => {
      write(directory, { 'staged.txt': 'x' });
      git(directory, 'add', 'staged.txt');
      rmSync(join(directory, 'staged.txt'));
    },
  ],
  'a repository in it': [
    'uncommitted',
    ({ directory }) => {
      git(directory, 'init', '-q', 'sub');
      commit(join(directory, 'sub'), 'inner');
    },
  ],
  'a merge in the middle': ['uncommitted', ({ directory, tip }) => write(directory, { '.git/MERGE_HEAD': `${tip}\n` })],
};

test.each(Object.entries(PERSONS))('%s is found, and everything stays', async (_name, [word, change]) => {
  const item = await aged(await handOver(db()));
  change(item);
  // What the agent configured must not run.
  git(item.directory, 'config', 'core.fsmonitor', `touch ${join(item.home, 'ran')}; false`);
  expect(await tend(item)).toEqual({ removed: [], discarded: [], held: [item.id] });
  expect((await row(item)).holds).toContain(word);
  expect(existsSync(item.directory)).toBe(true);
  expect(existsSync(join(item.home, 'ran'))).toBe(false);
  expect(await tend(item)).toEqual({ removed: [], discarded: [], held: [] });
});

test('a directory that holds something goes only where that is configured', async () => {
  const item = await aged(await handOver(db(), { holds: ['ignored'] }), 40);
  expect(await tend(item)).toMatchObject({ removed: [] });
  expect(await tend(item, { heldWorktreeDays: 50 })).toMatchObject({ removed: [] });
  expect(await tend(item, { heldWorktreeDays: 30 })).toMatchObject({ removed: [item.id] });
  expect(existsSync(item.directory)).toBe(false);
});

test('nothing is removed while work goes on in it, or is about to', async () => {
  const open = await aged(await handOver(db(), { open: true }));
  expect(await tend(open, { heldWorktreeDays: 1 })).toEqual({ removed: [], discarded: [], held: [] });
  const other = await aged(await handOver(db()));
  await db().transaction(async (tx) => {
    await tx.query('select from animus.worktrees where id = $1 for update', [other.id]);
    expect(await tend(other)).toEqual({ removed: [], discarded: [], held: [] });
  });
  expect(existsSync(other.directory)).toBe(true);
});

test('the worktrees of another place are left alone, and one of the same name here, too', async () => {
  const item = await aged(await handOver(db()));
  const other = await handOver(db());
  renameSync(item.directory, join(other.home, 'worktrees', item.name));
  expect(await tend(other)).toEqual({ removed: [], discarded: [], held: [] });
  expect(existsSync(join(other.home, 'worktrees', item.name))).toBe(true);
});

test('what a person discards from elsewhere is removed with branch and refs, whatever it holds', async () => {
  const item = await handOver(db(), { holds: ['stash'], rest: { 'x.txt': 'x' } });
  write(item.directory, { 'cache/mod/file': 'x' });
  chmodSync(join(item.directory, 'cache/mod'), 0o555);
  await discardWorktree(db(), item.id);
  expect(await tend(item)).toEqual({ removed: [], discarded: [item.id], held: [] });
  expect(existsSync(item.directory)).toBe(false);
  expect(existsSync(join(item.home, 'worktrees', `.removing-${item.name}`))).toBe(false);
  expect(git(item.repo, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
});

test('a directory that is gone is said to be lost with what only it held', async () => {
  const empty = await aged(await handOver(db()));
  const held = await aged(await handOver(db(), { holds: ['ignored', 'stash'] }), 40);
  for (const item of [empty, held]) rmSync(item.directory, { recursive: true });
  await tend(empty);
  expect((await row(empty)).state).toBe('removed');
  await tend(held, { heldWorktreeDays: 30 });
  expect((await row(held)).state).toBe('lost');
  const inbox = await db().query('select subject, request from animus.inbox where work_item_id = $1', [held.id]);
  expect(inbox).toMatchObject([
    { subject: 'lost', request: { lost: expect.stringContaining('only there: ignored, stash') } },
  ]);
});

test('what a killed daemon had moved away is put back, or deleted, as its row says', async () => {
  const back = await handOver(db());
  const gone = await handOver(db(), { state: 'removed' });
  for (const { home, name, directory } of [back, gone])
    renameSync(directory, join(home, 'worktrees', `.removing-${name}`));
  await tend(back);
  await tend(gone);
  expect([existsSync(back.directory), existsSync(gone.directory)]).toEqual([true, false]);
  expect(existsSync(join(gone.home, 'worktrees', `.removing-${gone.name}`))).toBe(false);
});

test('rows outlive their items while the directory is there', async () => {
  const item = await handOver(db());
  await db().query('delete from animus.work_items where id = $1', [item.id]);
  await aged(item, 100);
  const prune = async () => (await db().query<{ n: number }>(`select animus.prune_worktrees('90 days') as n`))[0]?.n;
  expect(await prune()).toBe(0);
  expect(await tend(item)).toMatchObject({ removed: [item.id] });
  await aged(item, 100);
  expect(await prune()).toBe(1);
});

test('a home without worktrees costs nothing', async () => {
  const item = await handOver(db());
  const bare = join(item.home, 'bare');
  mkdirSync(bare);
  expect(await tend({ ...item, home: bare })).toBe(null);
  writeFileSync(join(bare, 'worktrees'), '');
  onTestFinished(() => rmSync(bare, { recursive: true, force: true }));
  await expect(tend({ ...item, home: bare })).rejects.toThrow('ENOTDIR');
});
