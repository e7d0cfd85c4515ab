/** Work of certain states, for operations on many items. */
import type { WorkState } from '../../core/work/work.ts';
import type { Queryable } from '../sql/database.ts';

/** Which work is meant. Everything must hold. */
export interface WorkMatch {
  /** At least one. */
  readonly states: readonly WorkState[];
  readonly faculty?: string | undefined;
  /** Ended since this time or, where it has not ended, was submitted since. */
  readonly since?: Date | undefined;
}

/** The ids that match, oldest first, in pages of 500; each page is read when the one before has been used up. */
export async function* matchingWork(db: Queryable, match: WorkMatch): AsyncGenerator<readonly string[]> {
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const rows = await db.query<{ id: string }>(
      `select id from animus.work_items
        where state = any ($1::text[]) and ($2::text is null or faculty = $2)
          and ($3::timestamptz is null or coalesce(resolved_at, created_at) >= $3) and id > $4::uuid
        order by id limit 500`,
      [...conditions(match), after],
    );
    const last = rows.at(-1);
    if (!last) return;
    yield rows.map(({ id }) => id);
    after = last.id;
  }
}

/** How many items match, by faculty and state; most first. */
export function countMatchingWork(
  db: Queryable,
  match: WorkMatch,
): Promise<{ readonly faculty: string; readonly state: WorkState; readonly items: number }[]> {
  return db.query(
    `select faculty, state, count(*)::int as items from animus.work_items
      where state = any ($1::text[]) and ($2::text is null or faculty = $2)
        and ($3::timestamptz is null or coalesce(resolved_at, created_at) >= $3)
      group by faculty, state order by items desc, faculty, state`,
    conditions(match),
  );
}

function conditions({ states, faculty, since }: WorkMatch) {
  return [states, faculty ?? null, since ?? null] as const;
}
