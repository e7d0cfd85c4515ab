/** `animus status` at volume: no state disappears, and no sample is shown as a total. */
import { beforeEach, expect, test } from 'vitest';
import { run } from '../../../cli/run-cli.ts';
import { fillQueue } from '../../../store/work/fill-queue.ts';
import { emptyQueue } from '../../../store/work/queue-driver.ts';
import { testDatabase } from '../../../support/database.ts';

const target = testDatabase();
beforeEach(() => emptyQueue(target.database));

const status = async (...argv: string[]) =>
  (await run(['status', ...argv], { env: { DATABASE_URL: target.connectionString } })).stdout;

test('ended work beyond the newest thousand is a lower bound of each state, also of one that is not among them', async () => {
  await fillQueue(target.database, { resolved: 1100 });
  expect(await status()).toMatch(
    /^Work +1,000\+ completed, 0\+ merged, 0\+ cancelled +\(ended work: newest 1,000 of the last 24 h; dead work: all\)$/m,
  );
  const { states, capped } = JSON.parse(await status('--json')) as { states: object; capped: readonly string[] };
  expect(states).toMatchObject({ completed: 1000, merged: 0, cancelled: 0 });
  expect(capped.toSorted()).toEqual(['cancelled', 'completed', 'merged']);
});

test('ended work that is counted to the last item has no plus', async () => {
  await fillQueue(target.database, { resolved: 12 });
  expect(await status()).toMatch(/^Work +12 completed +\(ended work: last 24 h; dead work: all\)$/m);
});

test('WAITS says where more items wait than were looked at', async () => {
  await fillQueue(target.database, { queued: { engineer: 40, writer: 3 }, scheduled: 60 });
  const waits = (await status()).split('WAITS')[1]!;
  expect(waits).toMatch(/^engineer +queued +3\+ /m);
  expect(waits).toMatch(/^writer +queued +3 /m);
  expect(waits).toMatch(/^noop +scheduled +50\+ /m);
});

test('everything that waits for people is counted, of each kind, and the ten oldest are shown', async () => {
  const db = target.database;
  const asks = async () => {
    const { asks } = JSON.parse(await status('--json')) as { asks: { waiting: number; first: { subject: string }[] } };
    return [asks.waiting, asks.first.map(({ subject }) => subject)];
  };
  expect(await asks()).toEqual([0, []]);
  const [item] = await db.query<{ id: string }>(
    `insert into animus.work_items (faculty) values ('engineer') returning id`,
  );
  await db.query(
    `insert into animus.worktree_results (work_item_id, worktree_id, start, tip, ended, lost, updated_at)
     values ($1, $1, repeat('0', 40), repeat('0', 40), true, 'two commits', now() - interval '1 day')`,
    [item!.id],
  );
  expect(await asks()).toEqual([1, ['lost']]);
  await db.query(`insert into animus.skill_packages values (repeat('a', 64), 'fix-dates', 1, now(), current_date)`);
  await db.query(`insert into animus.skills select 'skill-' || n, 1, now() from generate_series(1, 11) n`);
  await db.query(
    `insert into animus.skill_versions (name, version, state, content_hash, description, created_at)
     select 'skill-' || n, 1, 'proposed', repeat('a', 64), 'd', now() from generate_series(1, 11) n`,
  );
  expect(await asks()).toEqual([12, ['lost', ...Array<string>(9).fill('skill')]]);
  await db.query(`update animus.worktree_results set lost_seen = lost`);
  expect(await asks()).toEqual([11, Array<string>(10).fill('skill')]);
  for (const table of ['skill_versions', 'skills']) await db.query(`delete from animus.${table}`);
});
