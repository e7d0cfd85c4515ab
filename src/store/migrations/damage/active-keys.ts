/** The keys of open work, under which duplicates find it: rows of animus.active_keys, which only damage by hand can separate from the items. */
import type { Queryable } from '../../sql/database.ts';
import { type WrongRows, wrongRows } from '../../views/damage.ts';

/** The first form is that of items from before people had keys of their own. */
const KEYS = `array[w.dedup_key, animus.key_among(w.dedup_key, case when w.depth = 0 then w.submitted_by else animus.submitter_of(w.root_id) end)]`;

/** Of work that was claimed once it is not known whether its faculty keeps the key until the end (`dedup_until`). */
const UNKEPT = `from animus.work_items w
  where w.resolved_at is null and w.dedup_key is not null and w.state in ('queued', 'scheduled') and w.attempts = 0 and w.unstarted_claims = 0 and w.lease_token is null
    and not exists (select from animus.active_keys k where k.faculty = w.faculty and k.dedup_key = any (${KEYS}))`;

const STRAY = `from animus.active_keys k where not exists (select from animus.work_items w where w.id = k.work_item_id and w.resolved_at is null)`;

/** Open work that never ran and has lost its key: the next submission with that key is done beside it. */
export function readUnkept(db: Queryable): Promise<WrongRows> {
  return wrongRows(db, `select w.id::text as shown ${UNKEPT}`);
}

/** Keys of no open work: what is submitted with one is merged into work that is over. */
export function readStrayKeys(db: Queryable): Promise<WrongRows> {
  return wrongRows(db, `select k.faculty || ' ' || k.dedup_key as shown ${STRAY}`);
}

/** Puts both right; of several items with one key the oldest gets it. */
export async function restoreKeys(tx: Queryable): Promise<{ readonly added: number; readonly removed: number }> {
  const removed = await tx.query(`delete ${STRAY} returning 1`);
  const added = await tx.query(
    `insert into animus.active_keys (faculty, dedup_key, work_item_id) select w.faculty, (${KEYS})[2], w.id ${UNKEPT} order by w.id on conflict do nothing returning 1`,
  );
  return { added: added.length, removed: removed.length };
}
