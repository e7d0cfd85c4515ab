import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readStatus } from '../../../src/features/operate/status/status.ts';
import { startTestDaemon } from '../../support/daemon.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';

const target = testDatabase();
const FACULTY = (name: string) =>
  `[faculty]\nname = "${name}"\n[faculty.engage]\nmodel = "play/x"\nsystem_prompt = "p"\n`;
/** Longer than the tests wait, so everything that happens is caused by a notification. */
const SLOW_POLL = '[daemon]\npoll_seconds = 50';

test('a running daemon handles the inbox, schedules, and faculties that appear, change and break', async () => {
  const daemon = await startTestDaemon({
    databaseUrl: target.connectionString,
    script: '[[answer]]\ntext = "done"',
    config: SLOW_POLL,
    files: { 'faculties/clerk.toml': FACULTY('clerk') },
  });
  const db = target.database;
  const completed = (description: string) =>
    eventually(`${description} is completed\n${daemon.lines.join('\n')}`, async () => {
      const rows = await db.query(`select from animus.work_items where description = $1 and state = 'completed'`, [
        description,
      ]);
      return rows.length > 0 ? true : null;
    });

  await db.query(`select pgmq.send('animus_inbox', '{"faculty": "clerk", "description": "from the inbox"}')`);
  await completed('from the inbox');

  await db.query(`insert into animus.work_items (faculty, description) values ('late', 'waits for its faculty')`);
  daemon.write('faculties/late.toml', FACULTY('late'));
  await completed('waits for its faculty');

  daemon.write('faculties/clerk.toml', '[faculty\n');
  await eventually('status shows the broken file', async () => {
    const problems = (await readStatus(db)).daemons.flatMap((one) => one.problems);
    return JSON.stringify(problems).includes('clerk.toml:1') ? true : null;
  });
  await db.query(`insert into animus.work_items (faculty, description) values ('clerk', 'with the last good version')`);
  await completed('with the last good version');

  rmSync(join(daemon.directory, 'faculties/late.toml'));
  await eventually('late is no longer served', async () => {
    const [one] = (await readStatus(db)).daemons;
    return one!.faculties.includes('late') ? null : true;
  });
  await daemon.stop();
});

test('status shows schedules, their problems, and unreadable messages of the inbox', async () => {
  const db = target.database;
  await db.query(
    `insert into animus.schedules (name, cron, faculty, description) values ('quick', '* * * * * *', 'clerk', 'scheduled'), ('bad', 'x', 'clerk', '')`,
  );
  const daemon = await startTestDaemon({
    databaseUrl: target.connectionString,
    script: '[[answer]]\ntext = "done"',
    config: '[daemon]\npoll_seconds = 0.5',
    files: { 'faculties/clerk.toml': FACULTY('clerk') },
  });
  await eventually(`a scheduled item is completed\n${daemon.lines.join('\n')}`, async () => {
    const rows = await db.query(`select from animus.work_items where source = 'schedule' and state = 'completed'`);
    return rows.length > 0 ? true : null;
  });
  await db.query(`select pgmq.send('animus_inbox', '{"nonsense": 1}')`);
  const status = await eventually('the dead letter shows', async () => {
    const now = await readStatus(db);
    return now.inbox.dead > 0 ? now : null;
  });
  expect(status.inbox).toMatchObject({ waiting: 0, dead: 1, last_dead_reason: expect.stringContaining('"nonsense"') });
  expect(status.schedules).toMatchObject([
    { name: 'bad', next_at: null, problem: expect.stringContaining('cron "x"') },
    { name: 'quick', problem: null, last_at: expect.any(String) },
  ]);
});
