/** Promise: a schedule whose runs may not overlap has at most one item that has not ended, and says what it left out. */
import { beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import type { Status } from '../../../src/features/operate/status/status.ts';
import { createScheduler } from '../../../src/features/schedules/service.ts';
import { runSchedule } from '../../../src/features/schedules/store.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';
import { run } from '../../cli/run-cli.ts';
import { clearWork } from '../../support/clear-work.ts';
import { testDatabase } from '../../support/database.ts';
import { fakeDatabaseClock } from '../../support/database-clock.ts';
import { day, fired, insert, nextAt } from './schedule-rows.ts';

const target = testDatabase();
const db = target.database;
let clock: Awaited<ReturnType<typeof fakeDatabaseClock>> | undefined;
const scheduler = (on = db) =>
  createScheduler({ db: on, clock: systemClock, log: silentLog, settings: () => ({ daemon: { pollSeconds: 5 } }) });

beforeEach(async () => {
  clock ??= await fakeDatabaseClock(db, '2026-01-01T00:00:00Z');
  await clock.set('2026-01-01T00:00:00Z');
  await db.query('delete from animus.schedules');
  await clearWork(db);
});

/** Looks at this time of the day, until nothing is due; fails if something stays due. */
async function lookAt(time: string): Promise<void> {
  await clock!.set(`2026-01-01T${time}Z`);
  for (let n = 0; n < 10; n++) if ((await scheduler().look()) > 0) return;
  throw new Error('a schedule stays due');
}

async function endItems(): Promise<void> {
  await db.query('select animus.cancel_work(id) from animus.work_items where resolved_at is null');
}

const times = async () => (await fired(db)).map((time) => time.slice(11, 16));
const runs = async () =>
  db.query<object>('select result, due_at, until_at, runs from animus.schedule_runs order by due_at');
const status = async () => {
  const [row] = await db.query<{ s: { schedules: Status['schedules'] } }>('select animus.ways_in_status() as s');
  return row!.s.schedules[0]!;
};
const shown = async (...argv: string[]) => (await run(argv, { env: { DATABASE_URL: target.connectionString } })).stdout;

test('by default, items of one schedule run beside each other', async () => {
  await insert(db, { cron: '* * * * *' });
  for (const time of ['00:00:30', '00:01:00', '00:02:00', '00:03:00']) await lookAt(time);
  expect(await times()).toEqual(['00:01', '00:02', '00:03']);
  expect(await status()).toMatchObject({ overlap: 'allow', skipped: 0, open_item: null });
});

test('skip: a run is left out while the last item has not ended, and this is recorded and shown', async () => {
  await insert(db, { cron: '* * * * *', overlap: 'skip' });
  for (const time of ['00:00:30', '00:01:00', '00:02:00', '00:03:00', '00:04:00']) await lookAt(time);
  expect(await times()).toEqual(['00:01']);
  expect(await runs()).toEqual([
    { result: 'fired', due_at: day('00:01'), until_at: day('00:01'), runs: 1 },
    { result: 'skipped', due_at: day('00:02'), until_at: day('00:04'), runs: 3 },
  ]);
  const [item] = await db.query<{ id: string }>('select id from animus.work_items');
  expect(await status()).toMatchObject({ overlap: 'skip', skipped: 3, open_item: item!.id });
  expect(await shown('status')).toContain(`3 runs skipped: ${item!.id.slice(-12)} has not ended`);
  expect(await shown('schedule', 'list')).toMatch(/ SKIPPED .*\n.* 3 +Look\n/);
  await endItems();
  await lookAt('00:05:00');
  expect(await times()).toEqual(['00:01', '00:05']);
  expect(await status()).toMatchObject({ skipped: 0 });
  await lookAt('00:06:00');
  expect((await runs()).at(-1)).toMatchObject({ result: 'skipped', due_at: day('00:06'), runs: 1 });
});

test.each([
  ['once', ['00:01', '00:04'], { result: 'skipped', due_at: day('00:02'), until_at: day('00:03'), runs: 2 }],
  ['all', ['00:01', '00:02'], undefined],
])('queue, missed = %s: what was due waits for the end of the last item', async (missed, after, record) => {
  await insert(db, { cron: '* * * * *', overlap: 'queue', missed });
  for (const time of ['00:00:30', '00:01:00', '00:02:00', '00:03:00', '00:04:00']) await lookAt(time);
  expect(await times()).toEqual(['00:01']);
  expect(await nextAt(db)).toBe('2026-01-01T00:02:00.000Z');
  const { open_item: open } = await status();
  expect(await shown('status')).toContain(`after ${open!.slice(-12)}`);
  expect(await shown('schedule', 'list')).toMatch(new RegExp(`^s .* after ${open!.slice(-12)} `, 'm'));
  await endItems();
  await lookAt('00:04:30');
  expect(await times()).toEqual(after);
  expect((await runs()).find((each) => 'result' in each && each.result !== 'fired')).toEqual(record);
  expect(await status()).toMatchObject({ missed_24h: 0 });
  // Each waits for the one before.
  for (let n = 0; n < 2; n++) {
    await endItems();
    await lookAt('00:04:40');
  }
  expect(await times()).toEqual(missed === 'all' ? ['00:01', '00:02', '00:03', '00:04'] : after);
});

test('queue: what fell due after the end of the last item, while nobody looked, is missed', async () => {
  await insert(db, { cron: '* * * * *', overlap: 'queue' });
  for (const time of ['00:00:30', '00:01:00', '00:01:30']) await lookAt(time);
  await endItems();
  await lookAt('00:05:00');
  expect(await times()).toEqual(['00:01', '00:05']);
  expect(await status()).toMatchObject({ missed_24h: 3, skipped: 0 });
});

test('queue: a hundred older runs do not hide an item that has not ended', async () => {
  await insert(db, { cron: '* * * * *', overlap: 'queue' });
  for (const time of ['00:00:30', '00:01:00']) await lookAt(time);
  const [open] = await db.query<{ id: string }>('select id from animus.work_items');
  const wasOpen = async (at: string) =>
    (await db.query<{ open: boolean }>(`select animus.was_open('s', $1) as open`, [day(at)]))[0]!.open;
  // Items that ended long ago, of older runs.
  await db.query(
    `with ended as (insert into animus.work_items (faculty, description) select 'engineer', 'old' from generate_series(1, 110) returning id)
     insert into animus.schedule_runs (schedule, result, due_at, until_at, runs, recorded_at, work_item_id)
     select 's', 'fired', $1::timestamptz - row_number() over () * interval '1 day', $1, 1, $1, id from ended`,
    [day('00:00')],
  );
  await db.query('select animus.cancel_work(id) from animus.work_items where id <> $1', [open!.id]);
  await clock!.set('2026-01-01T00:30:00Z');
  expect(await wasOpen('00:20')).toBe(true);
});

test('after an outage, of many due runs one fires', async () => {
  await insert(db, { name: 'skip', cron: '0 * * * *', overlap: 'skip', missed: 'all' });
  await insert(db, { name: 'queue', cron: '0 * * * *', overlap: 'queue', missed: 'all' });
  await lookAt('00:30:00');
  await lookAt('05:30:00');
  expect(await times()).toEqual(['01:00', '01:00']);
  const skipped = await db.query(
    `select schedule, due_at, until_at, runs from animus.schedule_runs where result = 'skipped'`,
  );
  expect(skipped).toEqual([{ schedule: 'skip', due_at: day('02:00'), until_at: day('05:00'), runs: 4 }]);
});

test.each(['skip', 'queue'])('%s: of ten daemons that look at once, one begins one item', async (overlap) => {
  await insert(db, { cron: '* * * * *', overlap });
  const daemons = Array.from({ length: 10 }, () => scheduler(target.open({ poolSize: 1 })));
  for (let minute = 1; minute <= 4; minute++) {
    await clock!.set(`2026-01-01T00:0${minute}:00Z`);
    for (let n = 0; n < 3; n++) await Promise.all(daemons.map((daemon) => daemon.look()));
  }
  expect(await times()).toEqual(['00:02']);
});

test('a run by hand begins in any case, and counts as an item of the schedule', async () => {
  await insert(db, { cron: '* * * * *', overlap: 'skip' });
  await lookAt('00:00:30');
  const first = await runSchedule(db, 's');
  await clock!.set('2026-01-01T00:00:40Z');
  const second = await runSchedule(db, 's');
  await lookAt('00:01:00');
  expect(await times()).toEqual([]);
  await db.query('select animus.cancel_work($1)', [second]);
  expect(await status()).toMatchObject({ skipped: 1, open_item: first });
});

test('retention keeps the run of an item that has not ended', async () => {
  await insert(db, { cron: '* * * * *', overlap: 'skip' });
  for (const time of ['00:00:30', '00:01:00', '00:02:00']) await lookAt(time);
  await clock!.set('2026-06-01T00:00:00Z');
  await db.query(`select animus.prune_archives('90 days')`);
  expect(await runs()).toMatchObject([{ result: 'fired' }]);
  await endItems();
  await db.query(`select animus.prune_archives('90 days')`);
  expect(await runs()).toEqual([]);
});

test('only the three words are accepted', async () => {
  await expect(insert(db, { cron: '* * * * *', overlap: 'wait' })).rejects.toThrow('schedules_overlap');
  const said = await run(['schedule', 'add', 'x', '@daily', 'f', '--overlap', 'wait'], {
    env: { DATABASE_URL: target.connectionString },
  });
  expect(said).toMatchObject({ code: 2, stderr: expect.stringContaining('--overlap: expected') as string });
});
