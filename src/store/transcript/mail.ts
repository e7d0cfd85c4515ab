/** Messages to the work that were delivered to a focus. */
import type { Queryable } from '../sql/database.ts';
import type { EngineMessage } from './messages.ts';

/** What people have said to a focus after turn `afterTurn` (0: before the first one), in the order in which it stands in the context. */
export async function readMail(db: Queryable, focusId: string, afterTurn: number): Promise<EngineMessage[]> {
  return db.query<EngineMessage>(
    `select after_turn as "afterTurn", kind, content from animus.focus_messages
      where focus_id = $1 and after_turn = $2 and kind = 'operator' order by seq`,
    [focusId, afterTurn],
  );
}
