/** What somebody may see of other work: the rows of the digest of awareness. */
import type { Queryable } from '../sql/database.ts';

/** Kinds of entries, in the order of the digest. */
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
  /** Who submitted it, as in `work_items.submitted_by`; null: unknown. */
  readonly submittedBy: string | null;
  readonly params: Readonly<Record<string, unknown>>;
  readonly ancestors: readonly string[];
}

/** Reads what `viewer` may see (`animus.awareness` states the bounds). Null as viewer: nothing of others. */
export async function readAwareness(
  db: Queryable,
  viewer: string | null,
  lookbackHours: number,
): Promise<AwarenessRows> {
  const [first, ...rows] = await db.query<AwarenessRow & { readonly total: number | null }>(
    `select kind, work_item_id as "workItemId", faculty, description, content, params, ancestors, age_seconds as "ageSeconds", total
       from animus.awareness($1, $2)`,
    [viewer, lookbackHours],
  );
  return { asOf: first!.content!, rows, running: rows[0]?.total ?? 0 };
}

/** Reads an item's place; null if there is no such item. */
export async function readAwarenessPlace(db: Queryable, workItemId: string): Promise<AwarenessPlace | null> {
  const [row] = await db.query<AwarenessPlace>(
    `select submitted_by as "submittedBy", params, animus.ancestors(id) as ancestors from animus.work_items where id = $1`,
    [workItemId],
  );
  return row ?? null;
}

/** The items above an item, from its parent to its root. They never change. */
export async function readAncestors(db: Queryable, workItemId: string): Promise<readonly string[]> {
  const [row] = await db.query<{ ancestors: string[] }>(`select animus.ancestors($1) as ancestors`, [workItemId]);
  return row!.ancestors;
}
