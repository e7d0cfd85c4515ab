/** The ledger of a work item: append-only, numbered without gaps. */
import type { LedgerType } from '../../core/work/work.ts';
import type { Queryable } from '../sql/database.ts';
import { toText } from '../sql/json.ts';
import { readValue } from '../sql/read-value.ts';

export interface LedgerEntry {
  readonly seq: number;
  readonly type: LedgerType;
  readonly content: string;
  readonly focusId: string | null;
  readonly createdAt: Date;
}

/** An entry as hooks and models are told it. */
export type LedgerLine = Pick<LedgerEntry, 'seq' | 'type' | 'content'>;

/** Who writes: a focus with its lease, or (nothing given) an operator. */
export interface LedgerWriter {
  readonly leaseToken?: string;
  readonly focusId?: string;
  readonly toolCallId?: string;
}

/** Appends an entry and returns its number, from 1. */
export async function appendLedger(
  db: Queryable,
  workItemId: string,
  type: LedgerType,
  content: string,
  writer: LedgerWriter = {},
): Promise<number> {
  const append = `select animus.append_ledger($1, $2, $3, $4, $5, $6)`;
  const { leaseToken = null, focusId = null, toolCallId = null } = writer;
  return readValue<number>(db, append, [workItemId, type, toText(content), leaseToken, focusId, toolCallId]);
}

/**
 * The entries of an item that has not ended long ago, and of the earlier answers of its conversation: those of each item in order, numbered by item.
 * Where given only those of one type, the newest `last` of them.
 */
export async function readChainLedger(
  db: Queryable,
  workItemId: string,
  filter: { readonly type?: LedgerType; readonly last?: number } = {},
): Promise<LedgerEntry[]> {
  const newestFirst = await db.query<LedgerEntry>(
    `select l.seq, l.entry_type as type, l.content, l.focus_id as "focusId", l.created_at as "createdAt"
       from unnest(animus.items_of_chain($1)) with ordinality i (id, n) join animus.work_ledger l on l.work_item_id = i.id
      where $2::text is null or l.entry_type = $2 order by i.n desc, l.seq desc limit $3`,
    [workItemId, filter.type ?? null, filter.last ?? null],
  );
  return newestFirst.toReversed();
}

/** The number of the last entry that a recover hook left out with `keep: "nothing"`; 0 if everything is kept. */
export async function readLedgerKeptAfter(db: Queryable, workItemId: string): Promise<number> {
  const [row] = await db.query<{ after: number }>(
    `select coalesce((error ->> 'ledger_kept_after')::int, 0) as after from animus.work_items where id = $1`,
    [workItemId],
  );
  return row?.after ?? 0;
}
