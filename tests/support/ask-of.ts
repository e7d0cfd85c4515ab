/** The id under which a person is asked about a call. */
import type { Queryable } from '../../src/store/sql/database.ts';

/** Of what the item asks or has asked about the call with this id of its provider; null: about the item itself, such as its budget. Throws if there is none. */
export async function askOf(db: Queryable, itemId: string, callId: string | null): Promise<string> {
  const [row] = await db.query<{ ask: string }>(
    `select ask_id as ask from animus.waits
      where work_item_id = $1 and subject is not null and animus.call_of(call_id, turn) is not distinct from $2`,
    [itemId, callId],
  );
  if (!row) throw new Error(`item ${itemId} asks nothing about ${callId}`);
  return row.ask;
}
