/** The ledger of a work item, as the actor may see it. */
import { LEDGER_TYPES, type LedgerType } from '../core/work/work.ts';
import type { Queryable } from '../store/sql/database.ts';
import type { Views } from '../store/views/views-of-login.ts';
import { type RowOf, row } from './row.ts';

export const ledgerEntry = row((s) =>
  s.z
    .object({
      seq: s.z.int(),
      type: s.z.enum(LEDGER_TYPES),
      content: s.z.string(),
      focus_id: s.id().nullable().describe('null: a person wrote it'),
      created_at: s.time(),
    })
    .meta({ id: 'LedgerEntry' }),
);
export type LedgerEntry = RowOf<typeof ledgerEntry>;

/** Entries of an item after `after`, of one type where given, in order: the first `limit`, or the `last`. A login that only submits is not told of foci. */
export async function readLedger(
  db: Queryable,
  id: string,
  views: Views,
  filter: {
    readonly after?: number;
    readonly type?: LedgerType | undefined;
    readonly last?: number | undefined;
    readonly limit?: number;
  } = {},
): Promise<LedgerEntry[]> {
  const { after = 0, type = null, last, limit = null } = filter;
  const rows = await db.query<LedgerEntry>(
    `select seq, entry_type as type, content, ${views === 'own' ? 'null' : 'focus_id'} as focus_id, created_at from animus.${views}_ledger
      where work_item_id = $1::uuid and seq > $2 and ($3::text is null or entry_type = $3) order by seq ${last === undefined ? '' : 'desc'} limit $4`,
    [id, after, type, last ?? limit],
  );
  return last === undefined ? rows : rows.toReversed();
}
