/** What a hook is told of the record of its item. */
import type { Queryable } from '../sql/database.ts';
import type { LedgerLine } from './ledger.ts';

export interface HookFacts {
  /** In order. */
  readonly ledger: readonly LedgerLine[];
  /** Whom what enters the context of the item may reach (`readAudience`): others may join its conversation between two hooks. */
  readonly readers: readonly string[];
}

/** Reads it anew for each hook. `ofAttempt`: without the entries that a recover hook left out with `keep: "nothing"`. */
export async function readHookFacts(
  db: Queryable,
  workItemId: string,
  entries: 'all' | 'ofAttempt' = 'all',
): Promise<HookFacts> {
  const [row] = await db.query<HookFacts & { readonly [column: string]: unknown }>(
    `select coalesce(animus.audience_of(i.id), '{}') as readers,
            coalesce((select json_agg(json_build_object('seq', l.seq, 'type', l.entry_type, 'content', l.content) order by l.seq)
                        from animus.work_ledger l
                       where l.work_item_id = i.id and ($2 or l.seq > coalesce((i.error ->> 'ledger_kept_after')::int, 0))), '[]') as ledger
       from animus.work_items i where i.id = $1`,
    [workItemId, entries === 'all'],
  );
  return row!;
}
