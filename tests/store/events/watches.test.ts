import { expect, it } from 'vitest';
import { testDatabase } from '../../support/database.ts';
import { newTalk } from '../conversations/begun.ts';
import { insertWork } from '../work/queue-driver.ts';

const pg = testDatabase();
const db = pg.database;

it('what is asked for is watched, and for an hour at most', async () => {
  const work = await insertWork(db, {});
  const talk = await newTalk(db);
  // Not asked for.
  await insertWork(db, {});
  await newTalk(db);
  await db.query(`select animus.watch_events($1, '1000 years')`, [[work, talk.id]]);
  const rows = await db.query<{ id: string; soon: boolean }>(
    `select id, until <= animus.now() + interval '1 hour' as soon
       from (select work_item_id as id, until from animus.watches union all select file_id, until from animus.chat_watches) w order by 1`,
  );
  expect(rows).toEqual([work, talk.id].toSorted().map((id) => ({ id, soon: true })));
});
