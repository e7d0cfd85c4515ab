/** What was said to an item, with the number of the focus that got it. Rows keep the names of their columns. */
import type { Queryable } from '../../../store/sql/database.ts';
import type { Views } from '../../../store/views/views-of-login.ts';

/** A message to an item, or a duplicate that it was told of. */
export interface Mail {
  readonly id: number;
  readonly author: string;
  readonly author_is: 'operator' | 'submitter' | 'participant' | 'duplicate';
  readonly text: string;
  readonly wake: boolean;
  /** The item that was merged, of a duplicate. */
  readonly duplicate_id: string | null;
  readonly created_at: Date;
  readonly delivered_at: Date | null;
  /** The number of the focus that got it, and the turn with which. A login that only submits is not told of foci. */
  readonly focus: number | null;
  readonly turn: number | null;
  /** Why it was not delivered, where that is recorded. */
  readonly not_delivered: string | null;
}

/** The messages to an item, oldest first; `id` is a full id. */
export async function readMail(db: Queryable, id: string, views: Views): Promise<Mail[]> {
  return db.query<Mail & { readonly [column: string]: unknown }>(
    `select m.id::float8 as id, m.author, m.author_is, m.text, m.wake, m.duplicate_id, m.created_at, m.delivered_at,
            ${views === 'own' ? 'null' : '(select f.number from animus.visible_foci f where f.id = m.focus_id)'} as focus,
            m.after_turn + 1 as turn, m.not_delivered from animus.${views}_mail m where m.work_item_id = $1::uuid order by m.id`,
    [id],
  );
}
