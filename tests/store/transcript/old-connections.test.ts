/** Promise: a daemon of version 0.1 that runs while the schema is upgraded records its answers with the statements that it has prepared. */
import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { migrate } from '../../../src/store/migrations/migrate.ts';
import { testDatabase } from '../../support/database.ts';
import { migrateFirstSchema } from '../../support/first-schema.ts';

const pg = testDatabase({ empty: true });

const BEGIN = 'select animus.begin_next_turn($1, $2, $3, $4, $5::jsonb) as permit';
const RECORD = 'select animus.record_turn($1, $2, $3, $4::json, $5::json)';
const ANSWER = JSON.stringify({ provider: 'p', model: 'm', content: [], stop_reason: 'tool_use', cost_usd: 0 });

test('a connection of version 0.1 takes a turn before the upgrade, and the next one after it', async () => {
  const db = pg.open();
  await migrateFirstSchema(db);
  await db.query(`insert into animus.work_items (faculty) values ('clerk')`);
  const [work] = await db.query<{ id: string; token: string }>(
    `select id, lease_token::text as token from animus.claim_work($1, '{"clerk": {"max": 1}}', 1, '1 hour')`,
    [randomUUID()],
  );
  const [focus] = await db.query<{ id: string }>(
    `select id from animus.start_focus($1, $2, 'h', '/x', '{}', '', '[]')`,
    [work!.id, work!.token],
  );
  const old = new Client({ connectionString: pg.connectionString });
  await old.connect();
  onTestFinished(() => old.end());
  const takeTurn = async (turn: number) => {
    const key = [focus!.id, work!.token, turn];
    const begun = await old.query({ name: 'begin', text: BEGIN, values: [...key, 0, '[]'] });
    await old.query({ name: 'record', text: RECORD, values: [...key, ANSWER, '[]'] });
    return begun.rows;
  };
  expect(await takeTurn(1)).toEqual([{ permit: 'go' }]);
  await migrate(db);
  expect(await takeTurn(2)).toEqual([{ permit: 'go' }]);
  expect(await db.query('select turn from animus.turns where recorded_at is not null order by turn')).toEqual([
    { turn: 1 },
    { turn: 2 },
  ]);
});
