/** Items whose calls wait for an approval, for tests of decisions. */
import type { Queryable } from '../../../src/store/sql/database.ts';
import { askPerson } from '../../../src/store/transcript/approvals.ts';
import { beginFocus, type FocusedWork, recordCalls } from '../../support/begun-focus.ts';

export const ASKS = { subject: 'tool_call', request: { reason: 'a rule' }, seconds: 60 } as const;

/** An item whose calls of `bash`, with empty inputs, wait for approvals. */
export async function askedItem(db: Queryable, calls: readonly string[] = ['c1'], id?: string): Promise<FocusedWork> {
  const work = await beginFocus(db, id === undefined ? {} : { id });
  await recordCalls(db, work, 1, calls, 'bash');
  for (const call of calls) await askPerson(db, work.key, 1, call, 'approval', ASKS);
  return work;
}

/** The decisions about an item, in order; `bound`: by the hash of the request. */
export function decisionsAbout(db: Queryable, id: string) {
  return db.query(
    `select d.action, d.call_id, d.note, encode(d.subject_digest, 'hex') = w.hash as bound
       from animus.decisions d left join (select ask_id, encode(request_hash, 'hex') as hash from animus.waits) w using (ask_id)
      where d.work_item_id = $1 order by d.seq`,
    [id],
  );
}
