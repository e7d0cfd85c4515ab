/** What a waiting item waits for. Rows keep the names of their columns, as in work-views. */
import type { WaitKind, WaitSubject } from '../../core/work/words.ts';
import type { Queryable } from '../sql/database.ts';

/** An open wait; the last six are null unless its kind is `batch`. */
export interface OpenWait {
  readonly call_id: string;
  readonly kind: WaitKind;
  readonly deadline: Date | null;
  readonly created_at: Date;
  /** Set if a person is asked; then `readAsked` has all of it. */
  readonly subject: WaitSubject | null;
  readonly turn: number | null;
  readonly provider: string | null;
  /** `waiting` in the outbox, or `sent`. */
  readonly request_state: string | null;
  /** `submitting` or `submitted`; null in the outbox. */
  readonly batch_state: string | null;
  /** The provider's id of the batch. */
  readonly provider_id: string | null;
  readonly problem: string | null;
}

/** The open waits of an item, oldest first; `id` is a full id. */
export async function readOpenWaits(db: Queryable, id: string): Promise<OpenWait[]> {
  return db.query<OpenWait>(
    `select v.call_id, v.kind, v.deadline, v.created_at, v.subject, r.turn, r.provider, r.state as request_state, b.state as batch_state, b.provider_id, b.problem
       from animus.waits v
       left join animus.batch_requests r on v.kind = 'batch' and r.work_item_id = v.work_item_id and r.id::text = v.call_id
       left join animus.batches b on b.id = r.batch_id
      where v.work_item_id = $1::uuid and v.resolved_at is null order by v.created_at, v.call_id`,
    [id],
  );
}
