import { describe, expect, onTestFinished, test } from 'vitest';
import { migrate } from '../../src/store/migrations/migrate.ts';
import type { Database } from '../../src/store/sql/database.ts';
import { sqlState } from '../../src/store/sql/database-errors.ts';
import { drainInbox } from '../../src/store/work/inbox.ts';
import { insertWork } from '../store/work/queue-driver.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { migrateFirstSchema } from '../support/first-schema.ts';

describe.each([1, 2])('clients and daemons of version 0.1.0 are running (%i)', () => {
  const target = testDatabase({ empty: true, anew: true });

  test('nothing fails while the schema is upgraded, and nothing is lost', async () => {
    const db = target.open({ poolSize: 8 });
    await migrateFirstSchema(db);
    const load = startLoad(db);
    await load.rounds(2);
    await migrate(target.open());
    await load.rounds(2);
    expect(await load.stop()).toEqual([]);
    // A message whose row was locked is read again a second later.
    await eventually('the inbox is empty', async () => {
      await drainInbox(db, 100);
      const [backlog] = await db.query<{ waiting: number }>('select waiting from animus.inbox_backlog()');
      return backlog!.waiting === 0 ? true : null;
    });
    const [counts] = await db.query<Record<string, number>>(
      `select (select count(*)::int from animus.work_items where source = 'inbox') as mailed,
              (select count(*)::int from animus.work_items where resolved_at is null) as open,
              (select count(*)::int from pgmq.q_animus_work) as messages,
              (select count(*)::int from animus.work_items where resolved_at is not null) as ended,
              (select count(*)::int from pgmq.a_animus_work) as archived`,
    );
    expect(counts).toMatchObject({ mailed: load.sent(), messages: counts!['open'], archived: counts!['ended'] });
  });
});

describe('a dump has locked every table', () => {
  const target = testDatabase({ empty: true, anew: true });

  test('the migration waits for it, and no writer waits for the migration', async () => {
    const db = target.open({ poolSize: 8 });
    await migrateFirstSchema(db);
    const load = startLoad(db);
    const warnings: object[] = [];
    const migrating = await target.open({ poolSize: 1 }).transaction(async (dump) => {
      await dump.query(lockEverything('access share'));
      const [self] = await dump.query<{ pid: number }>('select pg_backend_pid() as pid');
      const running = migrate(target.open(), {
        log: { ...silent, warn: (fields: object) => void warnings.push(fields) } as never,
      });
      await eventually('the migration meets the dump', () => (warnings.length > 0 ? true : null));
      await load.rounds(10);
      expect(warnings[0]).toMatchObject({ migration: '0011_rename_work_queue.sql', pid: self!.pid });
      return { running };
    });
    expect((await migrating.running).applied).toContain('0011_rename_work_queue.sql');
    expect(await load.stop()).toEqual([]);
  });
});

describe('a client has inserted and does not commit', () => {
  const target = testDatabase({ empty: true, anew: true });

  test('the upgrade waits for it and for nobody else; its item is complete afterwards', async () => {
    const db = target.open({ poolSize: 8 });
    await migrateFirstSchema(db);
    const load = startLoad(db);
    const warnings: object[] = [];
    const { running, id } = await target.open({ poolSize: 1 }).transaction(async (client) => {
      const inserted = await insertWork(client, { faculty: 'slow' });
      const upgrade = migrate(target.open(), {
        log: { ...silent, warn: (fields: object) => void warnings.push(fields) } as never,
      });
      await eventually('the migration meets the client', () => (warnings.length > 0 ? true : null));
      await load.rounds(10);
      return { running: upgrade, id: inserted };
    });
    await running;
    expect(await load.stop()).toEqual([]);
    expect(await db.query(`select from pgmq.q_animus_work where message ->> 'work_item_id' = $1`, [id])).toHaveLength(
      1,
    );
  });

  test('a migration that gives up names the blocking session, and has changed nothing', async () => {
    const db = target.database;
    await db.query(`update animus.schema_functions set checksum = 'as if they had changed'`);
    await target.open({ poolSize: 1 }).transaction(async (client) => {
      await insertWork(client, { faculty: 'slow' });
      await expect(migrate(target.open(), { patienceMs: 300 })).rejects.toThrow(
        /functions\/\*\.sql failed: other sessions held locks on its tables; the oldest transaction on its tables is that of process \d+/,
      );
    });
    expect((await migrate(db)).functions).not.toEqual([]);
  });

  test('a migration that is aborted stops waiting', async () => {
    await target.database.query(`update animus.schema_functions set checksum = 'as if they had changed'`);
    const ending = new AbortController();
    await target.open({ poolSize: 1 }).transaction(async (client) => {
      await insertWork(client, { faculty: 'slow' });
      const running = migrate(target.open(), {
        ending: ending.signal,
        log: { ...silent, warn: () => ending.abort() } as never,
      });
      await expect(running).rejects.toMatchObject({ code: 'db.unreachable' });
    });
  });
});

const silent = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

/**
 * A claim returns rows of work_items. If a migration adds a column meanwhile, the claim fails and is rolled back; its daemon claims again a
 * second later, and nothing is lost.
 */
function isClaimOverNewColumn(error: unknown): boolean {
  return sqlState(error) === '42804' && /animus\.claim_work/.test(String((error as { where?: unknown }).where));
}

/** What clients and daemons of version 0.1.0 do, four of them in parallel, until stopped; `stop` returns the failures. */
function startLoad(db: Database) {
  const errors: unknown[] = [];
  let rounds = 0;
  let sent = 0;
  const ending = new AbortController();
  const client = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      try {
        await insertWork(db, { faculty: 'clerk' });
        await db.query(`select pgmq.send('inbox', '{"faculty": "clerk"}')`);
        sent++;
        const claimed = await db.query<{ id: string; lease_token: string }>(
          `select id, lease_token from animus.claim_work(gen_random_uuid(), '{"clerk": {"max": 9}}', 2, '1 minute')`,
        );
        for (const { id, lease_token: token } of claimed) {
          await db.query(`select animus.complete_work($1, $2, '{}')`, [id, token]);
        }
        await drainInbox(db, 10);
      } catch (error) {
        if (!isClaimOverNewColumn(error)) errors.push(error);
      }
      rounds++;
    }
  };
  const clients = [1, 2, 3, 4].map(() => client());
  onTestFinished(() => ending.abort());
  return {
    sent: () => sent,
    async rounds(n: number) {
      const goal = rounds + 4 * n;
      await eventually('the clients go on', () => (rounds >= goal ? true : null));
    },
    async stop() {
      ending.abort();
      await Promise.all(clients);
      return errors;
    },
  };
}

function lockEverything(mode: string): string {
  return `do $$ declare t regclass; begin
    for t in select oid::regclass from pg_class where relnamespace in ('animus'::regnamespace, 'pgmq'::regnamespace) and relkind = 'r' loop
      execute format('lock table %s in ${mode} mode', t);
    end loop; end $$`;
}
