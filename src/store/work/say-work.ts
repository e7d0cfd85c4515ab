/** Says something to work: a thin call of the SQL function, which holds the rules. */
import type { WorkState } from '../../core/work/work.ts';
import type { Queryable } from '../sql/database.ts';
import { toText } from '../sql/json.ts';

/** Who got a message: the item itself, or the one it was merged into, and its state afterwards. */
export interface SaidWork {
  readonly workItemId: string;
  readonly messageId: string;
  readonly state: WorkState;
}

/**
 * Leaves a message for an item, which its focus gets at the beginning of its next turn. `wake`: a parked item does not wait any more for a
 * time, for children or for an answer. Operators may say something to any item, others to those that they submitted. Errors: `work.not_found`,
 * `work.state` for work that has ended or reads no messages, `work.invalid` for a text that is empty or too long, or too many.
 */
export async function sayWork(db: Queryable, id: string, text: string, wake = false): Promise<SaidWork> {
  const [row] = await db.query<SaidWork>(
    `select work_item_id as "workItemId", message_id as "messageId", state from animus.say($1::uuid, $2::text, $3)`,
    [id, toText(text), wake],
  );
  return row!;
}
