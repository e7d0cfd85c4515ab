/** Promise: `animus demo --week` fills the database that the person means, and no other; an interruption leaves nothing. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { createInterrupts } from '../../../src/core/lifecycle/interrupts.ts';
import { deregisterDaemon, registerDaemon } from '../../../src/store/work/daemons.ts';
import { embeddedHome, testDatabase } from '../../support/database.ts';
import { run } from '../run-cli.ts';

const target = testDatabase();
/** With work of somebody. */
const other = testDatabase();
const SMALL = ['demo', '--week', '--items', '50', '--long-turns', '50'];
const home = embeddedHome();
const env = { ANIMUS_HOME: home };

test('an interruption takes back what it has written', async () => {
  const { database: db } = target;
  const interrupts = createInterrupts(systemClock);
  interrupts.receive('SIGINT');
  const argv = [...SMALL, '--database', target.connectionString];
  const { code, stderr } = await run(argv, { interrupts });
  expect(code).toBe(130);
  expect(stderr).toContain('taken back');
  expect(await db.query('select from animus.work_items')).toEqual([]);
});

test('it fills the embedded database, says what it has made and what to do next, and does it once', async () => {
  const { code, stdout } = await run(SMALL, { env });
  expect(code).toBe(0);
  expect(stdout).toMatch(/\d+ work items with \d+ turns/);
  expect(stdout).toContain(`ANIMUS_HOME=${home} animus status`);
  expect(stdout).toContain('no daemon serves these');
  const status = await run(['status', '--json'], { env });
  expect(JSON.parse(status.stdout)).toMatchObject({ states: { running: 4, scheduled: 2 } });
  const again = await run(SMALL, { env });
  expect(again).toMatchObject({ code: 5, stdout: '' });
  expect(again.stderr).toContain('contains a week already; give the next one a database of its own');
});

test('with --json it prints what it has made', async () => {
  const database = target.connectionString;
  const { code, stdout } = await run([...SMALL, '--json', '--database', database, '--seed', '3'], {
    env: { ANIMUS_HOME: home },
  });
  expect(code).toBe(0);
  const made = JSON.parse(stdout) as { items: number; asks: number };
  expect(made).toMatchObject({ kind: 'postgres', home: null, seed: 3 });
  expect(made.items).toBeGreaterThan(50);
  const [inbox] = await target.database.query<{ n: number }>(
    `select count(*)::int as n from animus.waits where resolved_at is null and subject is not null`,
  );
  expect(made.asks).toBe(inbox!.n);
  expect(made.asks).toBeGreaterThan(8);
});

test('it does not fill the server of the configuration unless that is named, nor a database with work or a daemon', async () => {
  const { database: db, connectionString } = other;
  const server = { DATABASE_URL: connectionString };
  expect(await run(SMALL, { env: server })).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('is the server of your configuration; name it with --database'),
  });
  await db.query(`insert into animus.work_items (faculty) values ('engineer')`);
  const named = [...SMALL, '--database', connectionString];
  expect(await run(named)).toMatchObject({ code: 5, stderr: expect.stringContaining('contains work') });
  const daemon = { id: randomUUID(), host: 'h', pid: 7, version: '1', maxConcurrent: 1, faculties: {}, problems: [] };
  await registerDaemon(db, daemon);
  expect(await run([...named, '--yes'])).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('a daemon (h:7) runs'),
  });
  await deregisterDaemon(db, daemon.id);
  expect(await run([...named, '--yes'])).toMatchObject({ code: 0 });
  expect(await db.query(`select state from animus.work_items where faculty = 'engineer'`)).toEqual([
    { state: 'queued' },
  ]);
});

test.each([
  [['--week', '--keep'], '--keep is not for --week'],
  [['--items', '100'], '--items is only for --week'],
  [['--long-turns', '100'], '--long-turns is only for --week'],
  [['--week', '--database', 'nonsense'], '--database: expected '],
])('demo %j is a mistake', async (argv, problem) => {
  expect(await run(['demo', ...argv])).toMatchObject({ code: 2, stderr: expect.stringContaining(problem) });
});
