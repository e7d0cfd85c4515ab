/** Retention: one small batch per call. Every function returns null when another daemon is running retention. */
import type { Queryable } from '../sql/database.ts';
import { readValue } from '../sql/read-value.ts';

/** $1 is a number of days, with fractions. */
const AGE = 'make_interval(secs => $1::float8 * 86400)';

/** Where `pruneWork` continues; null at the beginning and at the end. Texts of the database. */
export interface PruneCursor {
  readonly at: string;
  readonly id: string;
}

/** Deletes up to `limit` items of trees that were resolved as a whole more than `days` ago. */
export async function pruneWork(
  db: Queryable,
  days: number,
  limit: number,
  cursor: PruneCursor | null,
): Promise<{ readonly deleted: number | null; readonly cursor: PruneCursor | null }> {
  const [row] = await db.query<{ deleted: number | null; at: string | null; id: string | null }>(
    `select deleted, after_at::text as at, after_id as id from animus.prune_work(${AGE}, $2, $3::timestamptz, $4::uuid)`,
    [days, limit, cursor?.at ?? null, cursor?.id ?? null],
  );
  const { deleted, at, id } = row!;
  return { deleted, cursor: at === null || id === null ? null : { at, id } };
}

/** Marks conversations in which nothing was said for `days` as deleted, and removes up to `limit` that were marked an hour ago, with their items. */
export async function pruneConversations(db: Queryable, days: number, limit: number): Promise<number | null> {
  return readValue<number | null>(db, `select animus.prune_conversations(${AGE}, $2)`, [days, limit]);
}

/** Deletes up to `limit` artifacts of items that were resolved more than `days` ago. */
export async function pruneArtifacts(db: Queryable, days: number, limit: number): Promise<number | null> {
  return readValue<number | null>(db, `select animus.prune_artifacts(${AGE}, $2)`, [days, limit]);
}

/** Deletes archived messages and recorded runs of schedules from more than `days` ago, up to `limit` of each kind. */
export async function pruneArchives(db: Queryable, days: number, limit: number): Promise<number | null> {
  return readValue<number | null>(db, `select animus.prune_archives(${AGE}, $2)`, [days, limit]);
}

/** Deletes watches that ended and daemons that have been gone for a week. */
export async function pruneRegisters(db: Queryable, limit: number): Promise<number | null> {
  return readValue<number | null>(db, 'select animus.prune_registers($1)', [limit]);
}

/** Deletes up to `limit` packages of skills that nothing refers to and that were last used more than `days` ago. */
export async function pruneSkillPackages(db: Queryable, days: number, limit = 200): Promise<number | null> {
  return readValue<number | null>(db, `select animus.prune_skill_packages(${AGE}, $2)`, [days, limit]);
}

/** Packs the transcripts of the next `limit` items that ended more than `days` ago into the history; returns how many items it passed. */
export async function packHistory(db: Queryable, days: number, limit: number): Promise<number | null> {
  return readValue<number | null>(db, `select animus.pack_history(${AGE}, $2)`, [days, limit]);
}

/** Drops the oldest month of the history if it ended more than `days` ago; returns 1 if it did. Call it when no work of that age is left to delete. */
export async function dropMonth(db: Queryable, days: number): Promise<number | null> {
  return readValue<number | null>(db, `select (animus.drop_month(${AGE}) is not null)::int`, [days]);
}

/** A row that retention skips. `id` is `*` where a whole table is left alone; `referencedBy`: the table and its constraint. */
export interface KeptRow {
  readonly table: string;
  readonly id: string;
  readonly referenced_by: string;
}

/** The rows that retention skips, newest first, at most 1,000; retried every hour. Null: the schema does not record them yet. */
export async function readKeptRows(db: Queryable): Promise<KeptRow[] | null> {
  if (!(await readValue<boolean>(db, `select to_regclass('animus.retention_kept') is not null`))) return null;
  return db.query<KeptRow>(
    `select table_name as "table", id, referenced_by from animus.retention_kept order by seen_at desc, id limit 1000`,
  );
}
