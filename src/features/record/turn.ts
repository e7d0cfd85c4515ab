/** Reads one turn, and one call of it, as the actor may see them. */
import type { RowOf } from '../../operations/row.ts';
import type { Queryable } from '../../store/sql/database.ts';
import type { call, turn } from './store.ts';

/** The turn of this number in a focus; null: in the newest focus that has one. */
export async function findTurn(
  tx: Queryable,
  item: string,
  number: number,
  focusId: string | null,
): Promise<RowOf<typeof turn> | null> {
  const [found] = await tx.query<RowOf<typeof turn>>(
    `select focus_id, turn, provider, model, response, stop_reason, usage, cost_usd::float8 as cost_usd, begun_at, recorded_at, duration_ms
       from animus.visible_turns
      where work_item_id = $1::uuid and turn = $2 and ($3::uuid is null or focus_id = $3) order by focus_id desc limit 1`,
    [item, number, focusId],
  );
  return found ?? null;
}

/** A call with its whole output. */
export async function readCall(
  tx: Queryable,
  item: string,
  focusId: string,
  number: number,
  callId: string,
): Promise<RowOf<typeof call> | null> {
  const [found] = await tx.query<RowOf<typeof call>>(
    `select focus_id, turn, position, call_id, parent_call_id, name, origin, state, input, final_input, output, output_bytes, is_error, started_at, ended_at,
            duration_ms
       from animus.visible_tool_calls where work_item_id = $1::uuid and focus_id = $2::uuid and turn = $3 and call_id = $4`,
    [item, focusId, number, callId],
  );
  return found ?? null;
}
