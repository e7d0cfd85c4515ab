/** What all readers of a context may see of other work: the rows of the digest of awareness. */
import type { Queryable } from '../sql/database.ts';
import { readValue } from '../sql/read-value.ts';

/** Kinds of entries. */
export type AwarenessKind = 'running' | 'completed' | 'finding' | 'approval' | 'skill';

/** One thing that happens, or has happened, elsewhere. Texts are cut, and were written by agents and people. */
export interface AwarenessRow {
  readonly kind: AwarenessKind;
  readonly workItemId: string | null;
  readonly faculty: string;
  /** Of the item; of a skill its name. */
  readonly description: string;
  /** The newest plan, the summary of the outcome, the finding, `subject: what` of a request, or the version of a skill. */
  readonly content: string | null;
  /** Null: none, or large. */
  readonly params: Readonly<Record<string, unknown>> | null;
  /** The items above the item; null: none. */
  readonly ancestors: readonly string[] | null;
  readonly ageSeconds: number;
}

/** What was seen at one moment, newest first in each kind. */
export interface AwarenessRows {
  /** UTC. */
  readonly asOf: string;
  readonly rows: readonly AwarenessRow[];
  /** How many foci run, shown or not. */
  readonly running: number;
}

/** An item as the digest has to know it. */
export interface AwarenessPlace {
  /** Who reads its context, or hears its answer (`readAudience`). */
  readonly readers: readonly string[];
  readonly params: Readonly<Record<string, unknown>>;
  readonly ancestors: readonly string[];
}

/** Reads what all of these readers may see (`animus.awareness_for` states the bounds). Without any: nothing of others. */
export async function readAwareness(
  db: Queryable,
  readers: readonly string[],
  lookbackHours: number,
): Promise<AwarenessRows> {
  const [first, ...rows] = await db.query<AwarenessRow & { readonly total: number | null }>(
    `select kind, work_item_id as "workItemId", faculty, description, content, params, ancestors, age_seconds as "ageSeconds", total
       from animus.awareness_for($1, $2)`,
    [readers, lookbackHours],
  );
  return { asOf: first!.content!, rows, running: rows[0]?.total ?? 0 };
}

/** Reads an item's place; null if there is no such item. */
export async function readAwarenessPlace(db: Queryable, workItemId: string): Promise<AwarenessPlace | null> {
  const [row] = await db.query<AwarenessPlace>(
    `select coalesce(animus.audience_of(id), '{}') as readers, params, animus.ancestors(id) as ancestors from animus.work_items where id = $1`,
    [workItemId],
  );
  return row ?? null;
}

/**
 * Whom what enters the context of an item may reach: its submitter and, of the answers of a conversation, who takes part
 * (migrations/functions/13_readers.sql).
 */
export async function readAudience(db: Queryable, workItemId: string): Promise<readonly string[]> {
  return (await readValue<string[] | null>(db, 'select animus.audience_of($1::uuid)', [workItemId])) ?? [];
}

/** The items above an item, from its parent to its root. They never change. */
export async function readAncestors(db: Queryable, workItemId: string): Promise<readonly string[]> {
  return readValue<string[]>(db, `select animus.ancestors($1)`, [workItemId]);
}
