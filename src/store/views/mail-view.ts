/** What was said to work. Rows keep the names of their columns, as in work-views. */
import type { Queryable } from '../sql/database.ts';

/** A message to an item, or a duplicate that it was told of. */
export interface MailView {
  readonly id: number;
  readonly author: string;
  readonly author_is: 'operator' | 'submitter' | 'participant' | 'duplicate';
  readonly text: string;
  readonly wake: boolean;
  /** The item that was merged, of a duplicate. */
  readonly duplicate_id: string | null;
  readonly created_at: Date;
  readonly delivered_at: Date | null;
  /** The number of the focus that got it, and the turn with which. */
  readonly focus: number | null;
  readonly turn: number | null;
  /** Why it was not delivered, where that is recorded. */
  readonly not_delivered: string | null;
}

/** The messages to an item, oldest first; `id` is a full id. */
export async function readMailbox(db: Queryable, id: string): Promise<MailView[]> {
  return db.query<MailView>(
    `select m.id::float8 as id, m.author, m.author_is, m.text, m.wake, m.duplicate_id, m.created_at, m.delivered_at, f.number as focus,
            m.after_turn + 1 as turn, m.not_delivered
       from animus.mailbox m left join animus.foci f on f.id = m.focus_id where m.work_item_id = $1::uuid order by m.id`,
    [id],
  );
}
