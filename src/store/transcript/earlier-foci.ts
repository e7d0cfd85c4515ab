/** Reads what the earlier attempts of an item did and left. */
import type { Queryable } from '../sql/database.ts';
import { type ChildReport, readChildren } from './children.ts';
import type { LedgerLine } from './ledger.ts';

export interface EarlierFailure {
  readonly code: string;
  readonly message: string;
}

/** A decision of a person about an earlier attempt. */
export interface EarlierDecision {
  readonly action: string;
  readonly by: string;
  readonly note: string;
  /** What it was about: `tool_call`, `human`, `budget`. */
  readonly subject: string;
  /** The call; null where no call was asked about. */
  readonly tool: string | null;
  readonly input: string | null;
  /** How the call ended, if it ran; null: it did not. */
  readonly ran: string | null;
}

/** A call of an earlier attempt that has changed files or memories. */
export interface EarlierChange {
  readonly tool: string;
  /** The file, or what the call gave back. */
  readonly what: string;
}

/** What the earlier attempts of an item did, from the record. Nothing of them is left where a recover hook decided to keep nothing (`keep: "nothing"`). */
export interface EarlierActs {
  /** The entries so far, also those of operators, in order. */
  readonly ledger: readonly LedgerLine[];
  /** Why the newest of them failed; null: it did not, or there was none. */
  readonly failure: EarlierFailure | null;
  readonly children: readonly ChildReport[];
  readonly decisions: readonly EarlierDecision[];
  readonly changes: readonly EarlierChange[];
  /** How many changes there are in all. */
  readonly changed: number;
  /** What people said to them. */
  readonly messages: readonly { readonly author: string; readonly text: string }[];
  /** The commits that were handed over. */
  readonly commits: readonly { readonly branch: string; readonly tip: string }[];
}

const CHANGING = ['write_file', 'edit_file', 'remove_file', 'memory_store', 'memory_update', 'memory_forget'];

/** What the attempts before the one of this focus did. */
export async function readEarlierActs(db: Queryable, focusId: string): Promise<EarlierActs> {
  const [row] = await db.query<Omit<EarlierActs, 'children'> & { readonly item: string; readonly children: string[] }>(
    `select f.work_item_id as item, a.*,
            coalesce((select json_agg(json_build_object('seq', l.seq, 'type', l.entry_type, 'content', l.content) order by l.seq)
                        from animus.work_items i join animus.work_ledger l on l.work_item_id = i.id
                       where i.id = f.work_item_id and l.seq > coalesce((i.error ->> 'ledger_kept_after')::int, 0)), '[]') as ledger,
            (select json_build_object('code', coalesce(e.error ->> 'code', ''), 'message', coalesce(e.error ->> 'message', ''))
               from animus.foci e
              where e.work_item_id = f.work_item_id and e.number = f.number - 1 and e.ended_as = 'failed' and not e.error ? 'ledger_kept_after') as failure
       from animus.foci f cross join lateral animus.read_earlier_acts(f.id, $2) a where f.id = $1`,
    [focusId, CHANGING],
  );
  const { item, children, ...acts } = row!;
  return { ...acts, children: children.length === 0 ? [] : await readChildren(db, item, children) };
}
