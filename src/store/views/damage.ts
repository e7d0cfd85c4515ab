/** What only damage by hand can bring about: rows that do not fit together. Reads whole tables. */
import type { Queryable } from '../sql/database.ts';
import { inPgmqSchema, pgmqSchema } from '../sql/pgmq-schema.ts';

/** Rows that are wrong: how many, and up to five of them. */
export interface WrongRows {
  readonly count: number;
  readonly examples: readonly string[];
}

/** A foreign key: rows of `table` refer to rows of `target`, both in schema animus. */
export interface Reference {
  readonly table: string;
  readonly columns: readonly string[];
  readonly target: string;
  readonly targetColumns: readonly string[];
}

/** Work that is in state `waiting` and has no open wait: nothing wakes it. */
export function readStranded(db: Queryable): Promise<WrongRows> {
  return wrongRows(
    db,
    `select w.id::text as shown from animus.work_items w
      where w.state = 'waiting' and not exists (select from animus.waits o where o.work_item_id = w.id and o.resolved_at is null)`,
  );
}

/** Open work without its message in the queue. */
export async function readUnqueued(db: Queryable): Promise<WrongRows> {
  const sql = `select w.id::text as shown from animus.work_items w
      where w.resolved_at is null and not exists (select from pgmq.q_animus_work m where m.msg_id = w.queue_msg_id)`;
  return wrongRows(db, inPgmqSchema(sql, await pgmqSchema(db)));
}

/** Messages in the queue that belong to no open work. */
export async function readStrayMessages(db: Queryable): Promise<WrongRows> {
  const sql = `select m.msg_id::text as shown from pgmq.q_animus_work m
      where not exists (select from animus.work_items w where w.queue_msg_id = m.msg_id and w.resolved_at is null)`;
  return wrongRows(db, inPgmqSchema(sql, await pgmqSchema(db)));
}

/** Rows that refer to a row that is gone, and the condition that finds them. */
export async function readOrphans(
  db: Queryable,
  reference: Reference,
): Promise<WrongRows & { readonly condition: string }> {
  const { table, columns, target, targetColumns } = reference;
  const condition = `${columns.map((column) => `c.${column} is not null`).join(' and ')} and not exists (select from animus.${target} t where ${columns
    .map((column, n) => `t.${targetColumns[n]} = c.${column}`)
    .join(' and ')})`;
  const found = await wrongRows(
    db,
    `select concat_ws('/', ${columns.map((column) => `c.${column}`).join(', ')}) as shown from animus.${table} c where ${condition}`,
  );
  return { ...found, condition };
}

/** The queues of an animus whose schema is gone, by the schema in which they are. */
export async function readLeftQueues(db: Queryable): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await db.query<{ schema: string; name: string }>(
    `select quote_ident(n.nspname) as schema, substr(c.relname, 3) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relname ~ '^q_animus_' and c.relkind = 'r' and obj_description(c.oid, 'pg_class') like 'animus:%'
      order by n.nspname, c.relname`,
  );
  const bySchema = Map.groupBy(rows, ({ schema }) => schema);
  return new Map([...bySchema].map(([schema, queues]) => [schema, queues.map(({ name }) => name)]));
}

/** Counts what a query with a column `shown` returns. */
export async function wrongRows(db: Queryable, sql: string): Promise<WrongRows> {
  const [row] = await db.query<WrongRows>(
    `select count(*)::int as count, coalesce((array_agg(f.shown order by f.shown))[1:5], '{}') as examples from (${sql}) f`,
  );
  return row!;
}
