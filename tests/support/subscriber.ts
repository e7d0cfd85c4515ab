/** A subscriber of all tables, as a warehouse makes one: the same tables without rows, the subscription, and when it has all. */
import { migrate } from '../../src/store/migrations/migrate.ts';
import type { Database, Queryable } from '../../src/store/sql/database.ts';
import { eventually } from './eventually.ts';

/** The schema of animus without rows, and a place for each month of packed work (docs/operations.md). */
export async function prepareSubscriber(db: Database): Promise<void> {
  await migrate(db);
  await db.query('create table animus.history_rest partition of animus.history default');
  await emptyTables(db);
}

/** Removes all rows, whatever forbids that. */
export async function emptyTables(db: Database): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query('set local session_replication_role = replica');
    await tx.query(`truncate ${(await tablesOf(tx)).join(', ')} cascade`);
  });
}

/** Subscribes to the publication `warehouse` of a superuser's database, and waits until what is there is copied. */
export async function subscribe(subscriber: Database, publisherUrl: string): Promise<void> {
  const from = new URL(publisherUrl);
  await subscriber.query(
    `create subscription warehouse connection 'host=127.0.0.1 port=${from.port} user=postgres password=${from.password || 'none'} dbname=${from.pathname.slice(1)}' publication warehouse`,
  );
  await eventually(
    'all tables are copied',
    async () => {
      const [row] = await subscriber.query<{ n: number }>(
        `select count(*)::int as n from pg_subscription_rel where srsubstate <> 'r'`,
      );
      return row!.n === 0 ? true : null;
    },
    150,
  );
}

/** Waits until the subscriber has all that is committed now. */
export async function caughtUp(publisher: Database, seconds?: number): Promise<void> {
  const [now] = await publisher.query<{ lsn: string }>('select pg_current_wal_lsn()::text as lsn');
  const look = async () => {
    const [row] = await publisher.query(
      `select from pg_stat_replication where application_name = 'warehouse' and replay_lsn >= $1::pg_lsn`,
      [now!.lsn],
    );
    return row ?? null;
  };
  await eventually('the subscriber has all', look, seconds);
}

/** All tables that are published, sorted by name. */
export async function tablesOf(db: Queryable): Promise<readonly string[]> {
  const rows = await db.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname <> 'information_schema' and n.nspname not like 'pg\\_%' and c.relkind in ('r', 'p') and c.relpersistence = 'p' and not c.relispartition
      order by 1`,
  );
  return rows.map(({ name }) => name);
}
