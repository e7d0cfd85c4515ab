/** Promise: a migration that is killed between two of its steps is finished by the next one, with the rights of what it has made. */
import { cpSync, readdirSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { migrate } from '../../../src/store/migrations/migrate.ts';
import { ROLES, rolesState } from '../../../src/store/migrations/roles.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { temporaryHome, testDatabase } from '../../support/database.ts';

const directory = temporaryHome();
cpSync(new URL('../../../migrations', import.meta.url), directory, { recursive: true });
const migrations = readdirSync(directory).filter((name) => /^\d{4}_/.test(name)).length + 1;
writeFileSync(
  `${directory}/${String(migrations).padStart(4, '0')}_make_things.sql`,
  'create table animus.things (id int primary key);',
);
writeFileSync(
  `${directory}/functions/95_things.sql`,
  `create or replace function animus.thing() returns int language sql security definer set search_path = pg_catalog, pg_temp as 'select 1';`,
);

/** The steps before the migrations: pgmq, pgvector and the queues. Of the migrations, only the new one takes a step. After it come the functions and the roles. */
const BEFORE = 3;

describe.each([
  { after: 'the queues', steps: BEFORE },
  { after: 'the migrations', steps: BEFORE + 1 },
  { after: 'the functions', steps: BEFORE + 2 },
])('killed after $after', ({ steps }) => {
  const target = testDatabase({ anew: true });

  test('the next start has all functions, triggers and rights', async () => {
    const db = target.open();
    await db.query(`select pgmq.drop_queue('animus_inbox')`);
    await expect(migrate(cutAfter(db, steps), { directory })).rejects.toThrow('killed');
    expect(await rolesState(db)).toEqual({ missing: [], ungranted: ROLES });

    expect(await migrate(db, { directory })).toMatchObject({ version: migrations });
    expect(await stateOf(db)).toEqual({
      daemon: true,
      submitter: false,
      others: false,
      table: true,
      queue: true,
      triggers: 2,
    });
    expect(await rolesState(db)).toEqual({ missing: [], ungranted: [] });
    expect(await migrate(db, { directory })).toMatchObject({ applied: [], functions: [] });
  });
});

describe('killed after functions of which the files stay the same', () => {
  const target = testDatabase({ anew: true });

  test('the next start grants the rights on them', async () => {
    const db = target.open();
    const files = { directory: new URL('../../../migrations', import.meta.url).pathname };
    await db.query('delete from animus.schema_functions');
    await db.query('drop function animus.claim_work(uuid, jsonb, int, interval)');
    await expect(migrate(cutAfter(db, BEFORE + 1), files)).rejects.toThrow('killed');
    const may = `has_function_privilege('animus_daemon', 'animus.claim_work(uuid, jsonb, int, interval)', 'execute') as may`;
    expect(await db.query(`select ${may}`)).toEqual([{ may: false }]);
    expect(await migrate(db, files)).toMatchObject({ applied: [], functions: [] });
    expect(await db.query(`select ${may}`)).toEqual([{ may: true }]);
  });
});

/** As when the process is killed once so many transactions are committed. */
function cutAfter(db: Database, transactions: number): Database {
  let left = transactions;
  return {
    ...db,
    async transaction(work) {
      if (left === 0) throw new Error('killed');
      const result = await db.transaction(work);
      left--;
      return result;
    },
  };
}

async function stateOf(db: Database): Promise<object> {
  const [row] = await db.query<object>(
    `select has_function_privilege('animus_daemon', 'animus.thing()', 'execute') as daemon,
            has_function_privilege('animus_submitter', 'animus.thing()', 'execute') as submitter,
            exists (select from pg_proc p cross join aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
                     where p.pronamespace = 'animus'::regnamespace and a.grantee = 0) as others,
            has_table_privilege('animus_reader', 'animus.things', 'select') as table,
            has_table_privilege('animus_reader', 'pgmq.q_animus_inbox', 'select') as queue,
            (select count(*)::int from pg_trigger where tgrelid = 'pgmq.q_animus_inbox'::regclass and not tgisinternal) as triggers`,
  );
  return row!;
}
