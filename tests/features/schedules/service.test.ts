import { expect, test } from 'vitest';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { createScheduler } from '../../../src/features/schedules/service.ts';
import { fireSchedule, listSchedules, readDueSchedules, runSchedule } from '../../../src/features/schedules/store.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';
import { clearWork } from '../../support/clear-work.ts';
import { type TestDatabase, testDatabase } from '../../support/database.ts';
import { fakeDatabaseClock } from '../../support/database-clock.ts';
import { day, fired, insert, nextAt } from './schedule-rows.ts';

const target = testDatabase();
/** The first of the runs of every minute. */
const FIRST_MINUTE = { due: [day('00:01')], missed: null, nextAt: day('00:02'), problem: null };
let clock: Awaited<ReturnType<typeof fakeDatabaseClock>> | undefined;

test("a schedule inserted by SQL gets its next time, fires by the database's clock, and records it", async () => {
  const { db, at, look, lookAt } = await setUp('2026-01-01T00:00:30Z');
  await insert(db, { cron: '*/10 * * * *', params: { deep: true } });
  expect(await look()).toBe(0);
  expect(await look()).toBe(5000);
  expect(await nextAt(db)).toBe('2026-01-01T00:10:00.000Z');
  await at('2026-01-01T00:09:58Z');
  expect(await look()).toBe(2000);
  expect(await fired(db)).toEqual([]);
  await lookAt('2026-01-01T00:10:00Z');
  expect(
    await db.query('select faculty, description, params, source, state, trigger_info from animus.work_items'),
  ).toEqual([
    {
      faculty: 'engineer',
      description: 'Look',
      params: { deep: true },
      source: 'schedule',
      state: 'queued',
      trigger_info: { schedule: 's', due_at: '2026-01-01T00:10:00+00:00', manual: false, written_by: ['postgres'] },
    },
  ]);
  expect(await nextAt(db)).toBe('2026-01-01T00:20:00.000Z');
  const [schedule] = await listSchedules(db, 's');
  expect(schedule).toMatchObject({
    last_at: new Date('2026-01-01T00:10:00Z'),
    problem: null,
    runs: [{ result: 'fired' }],
  });
});

test('of ten daemons exactly one fires each run', async () => {
  const { db, at } = await setUp('2026-01-01T00:00:30Z');
  for (let n = 0; n < 5; n++) await insert(db, { name: `s${n}`, cron: '* * * * *' });
  const daemons = Array.from({ length: 10 }, () => scheduler(target.open({ poolSize: 1 })));
  for (let minute = 1; minute <= 4; minute++) {
    await at(`2026-01-01T00:0${minute}:00Z`);
    // Twice each: in the first round, some find it without a next time.
    await Promise.all(daemons.map((daemon) => daemon.look()));
    await Promise.all(daemons.map((daemon) => daemon.look()));
  }
  const runs = await db.query<{ schedule: string; n: number; due: number }>(
    `select trigger_info ->> 'schedule' as schedule, count(*)::int as n, count(distinct trigger_info ->> 'due_at')::int as due
       from animus.work_items group by 1 order by 1`,
  );
  expect(runs.map(({ n, due }) => [n, due])).toEqual(Array.from({ length: 5 }, () => [3, 3]));
});

test('a daemon that is cut off between the item and the new due time has changed nothing', async () => {
  const { db, at } = await setUp('2026-01-01T00:00:00Z');
  await insert(db, { cron: '* * * * *', next_at: '2026-01-01T00:01:00.123456Z' });
  await at('2026-01-01T00:01:30Z');
  const { due } = await readDueSchedules(db);
  const cut = db.transaction(async (tx) => {
    expect(await fireSchedule(tx, due[0]!, FIRST_MINUTE)).toHaveLength(1);
    await tx.query('select pg_terminate_backend(pg_backend_pid())');
  });
  await expect(cut).rejects.toMatchObject({ code: 'db.unreachable' });
  expect(await fired(db)).toEqual([]);
  expect(await fireSchedule(db, due[0]!, FIRST_MINUTE)).toHaveLength(1);
  expect(await fireSchedule(db, due[0]!, FIRST_MINUTE)).toBeNull();
  // Even if somebody sets the time back by hand, a run does not fire twice.
  await db.query(`update animus.schedules set next_at = '2026-01-01T00:01:00Z'`);
  const again = (await readDueSchedules(db)).due[0]!;
  expect(await fireSchedule(db, again, FIRST_MINUTE)).toEqual([]);
});

test('a daemon whose clock is ahead cannot fire early', async () => {
  const { db } = await setUp('2026-01-01T00:00:00Z');
  await insert(db, { cron: '* * * * *', next_at: '2026-01-01T00:01:00Z' });
  const look = {
    name: 's',
    cron: '',
    time_zone: '',
    missed: 'all',
    grace_seconds: 0,
    overlap: 'allow',
    held: false,
    next_at: '2026-01-01T00:01:00Z',
  } as const;
  await expect(fireSchedule(db, look, FIRST_MINUTE)).rejects.toMatchObject({ code: 'work.invalid' });
  expect(await nextAt(db)).toBe('2026-01-01T00:01:00.000Z');
});

test.each([
  ['once', 3600, ['05:00'], { from: '02:00', until: '04:00', runs: 3 }],
  ['once', 0, ['05:00'], { from: '02:00', until: '04:00', runs: 3 }],
  ['skip', 3600, ['05:00'], { from: '02:00', until: '04:00', runs: 3 }],
  ['skip', 1799, [], { from: '02:00', until: '05:00', runs: 4 }],
  ['all', 0, ['02:00', '03:00', '04:00', '05:00'], null],
] as const)('four hourly runs passed by, missed = %s, grace = %i s', async (missed, grace_seconds, fires, passed) => {
  const { db, look, lookAt } = await setUp('2026-01-01T01:30:00Z');
  await insert(db, { cron: '0 * * * *', missed, grace_seconds });
  await look();
  await lookAt('2026-01-01T05:30:00Z');
  expect(await fired(db)).toEqual(fires.map((time) => `2026-01-01T${time}:00.000Z`));
  const record = await db.query<{ due_at: Date; until_at: Date; runs: number }>(
    `select due_at, until_at, runs from animus.schedule_runs where result = 'missed'`,
  );
  expect(record).toEqual(
    passed === null ? [] : [{ due_at: day(passed.from), until_at: day(passed.until), runs: passed.runs }],
  );
  expect(await nextAt(db)).toBe('2026-01-01T06:00:00.000Z');
  await look();
  expect(await fired(db)).toHaveLength(fires.length);
});

test('a month of missed minutes is skipped at once and counted up to 1,000; with `all`, every run fires in steps', async () => {
  const { db, at, look, lookAt } = await setUp('2026-01-01T00:00:00Z');
  await insert(db, { name: 'once', cron: '* * * * *' });
  await look();
  await lookAt('2026-02-01T00:00:30Z');
  expect(await fired(db)).toEqual(['2026-02-01T00:00:00.000Z']);
  const [missed] = await db.query(`select due_at, until_at, runs from animus.schedule_runs where result = 'missed'`);
  expect(missed).toEqual({
    due_at: new Date('2026-01-01T00:01:00Z'),
    until_at: new Date('2026-01-31T23:59:00Z'),
    runs: 1000,
  });
  await clearWork(db);
  await insert(db, { name: 'all', cron: '* * * * *', missed: 'all' });
  await look();
  await at('2026-02-01T05:00:30Z');
  await db.query(`update animus.schedules set paused = true where name = 'once'`);
  for (let n = 0; n < 4; n++) await look();
  expect(new Set(await fired(db)).size).toBe(300);
  expect(await fired(db)).toHaveLength(300);
});

test('a night in which two o’clock is skipped, and one in which it comes twice', async () => {
  const { db, look, lookAt } = await setUp('2026-03-28T12:00:00Z');
  await insert(db, { cron: '30 2 * * *', time_zone: 'Europe/Berlin' });
  await look();
  for (const time of ['2026-03-29T00:59:59Z', '2026-03-29T01:00:00Z', '2026-03-29T12:00:00Z']) {
    await lookAt(time);
  }
  expect(await fired(db)).toEqual(['2026-03-29T01:00:00.000Z']);
  await db.query(`update animus.schedules set next_at = null`);
  await lookAt('2026-10-24T12:00:00Z');
  for (const time of ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z', '2026-10-25T12:00:00Z']) {
    await lookAt(time);
  }
  expect((await fired(db)).slice(1)).toEqual(['2026-10-25T00:30:00.000Z']);
});

test('an invalid schedule shows its problem, affects no other, and recovers when it is corrected', async () => {
  const { db, look, lookAt } = await setUp('2026-01-01T00:00:00Z');
  await insert(db, { name: 'bad', cron: 'every day' });
  await insert(db, { name: 'nowhere', cron: '* * * * *', time_zone: 'Mars/Base' });
  await insert(db, { name: 'good', cron: '* * * * *' });
  await look();
  await lookAt('2026-01-01T00:01:00Z');
  expect(await fired(db)).toHaveLength(1);
  const [status] = await db.query<{ s: { schedules: { name: string; problem: string | null }[] } }>(
    'select animus.ways_in_status() as s',
  );
  const problems = Object.fromEntries(status!.s.schedules.map(({ name, problem }) => [name, problem]));
  expect(problems['bad']).toContain('cron "every day": expected five fields');
  expect(problems['nowhere']).toContain('time zone "Mars/Base"');
  expect(problems['good']).toBeNull();
  await db.query(`update animus.schedules set cron = '@hourly' where name = 'bad'`);
  await look();
  expect((await listSchedules(db, 'bad'))[0]).toMatchObject({
    problem: null,
    next_at: new Date('2026-01-01T01:00:00Z'),
  });
  // A daemon that starts checks the others again: a later version may understand them.
  await look(true);
  expect((await listSchedules(db, 'nowhere'))[0]!.problem).not.toBeNull();
});

test('a schedule whose work the database refuses stays due and delays no other', async () => {
  const { db, at, look } = await setUp('2026-01-01T00:00:00Z');
  await db.query(
    `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'not on my database'; end $$;
     create trigger refuse before insert on animus.work_items for each row when (new.description = 'forbidden') execute function refuse()`,
  );
  await insert(db, { name: 'a', cron: '* * * * *', description: 'forbidden' });
  await insert(db, { name: 'b', cron: '* * * * *' });
  await look();
  await at('2026-01-01T00:01:00Z');
  expect(await look()).toBe(0);
  expect(await look()).toBe(5000);
  expect(await fired(db)).toHaveLength(1);
  await db.query('drop trigger refuse on animus.work_items');
  await look();
  expect(await fired(db)).toHaveLength(2);
});

test('while it is paused nothing is due, nothing is made up afterwards, and it can still be run by hand', async () => {
  const { db, look, lookAt } = await setUp('2026-01-01T00:00:00Z');
  await insert(db, { cron: '0 * * * *', missed: 'all' });
  await look();
  await db.query(`update animus.schedules set paused = true`);
  await lookAt('2026-01-01T05:30:00Z');
  expect(await fired(db)).toEqual([]);
  await runSchedule(db, 's');
  await db.query(`update animus.schedules set paused = false`);
  await look();
  expect(await nextAt(db)).toBe('2026-01-01T06:00:00.000Z');
  const [{ runs } = { runs: [] }] = await listSchedules(db, 's');
  expect(runs).toMatchObject([{ result: 'manual', runs: 1 }]);
  await expect(runSchedule(db, 'ss')).rejects.toThrow('no schedule named ss');
});

test('a running daemon fires without a notification, and stops', async () => {
  const { db, at } = await setUp('2026-01-01T00:00:00Z');
  await insert(db, { cron: '* * * * *', next_at: '2026-01-01T00:01:00Z' });
  await at('2026-01-01T00:01:10Z');
  const lines = Promise.withResolvers<void>();
  const log = { ...silentLog, info: (_: object, text: string) => text.includes('fired') && lines.resolve() };
  const daemon = createScheduler({ db, clock: systemClock, log, settings: () => ({ daemon: { pollSeconds: 1 } }) });
  await daemon.start();
  await lines.promise;
  await daemon.stop();
  expect(await fired(db)).toHaveLength(1);
});

async function setUp(now: string) {
  const db = target.database;
  clock ??= await fakeDatabaseClock(db, now);
  await clock.set(now);
  await db.query('delete from animus.schedules');
  await clearWork(db);
  const { look } = scheduler(db);
  const lookAt = async (time: string) => {
    await clock!.set(time);
    return look();
  };
  return { db, at: clock.set, look, lookAt };
}

function scheduler(db: TestDatabase['database']) {
  return createScheduler({ db, clock: systemClock, log: silentLog, settings: () => ({ daemon: { pollSeconds: 5 } }) });
}
