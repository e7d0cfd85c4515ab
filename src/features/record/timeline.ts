/** All turns of an item with their calls, without their contents: ten thousand of them are a page or two. */
import { type RowOf, row } from '../../operations/row.ts';
import type { Queryable } from '../../store/sql/database.ts';

export const timelineTurn = row((s) =>
  s.z
    .object({
      focus_id: s.id(),
      turn: s.z.int(),
      provider: s.z.string().nullable(),
      model: s.z.string().nullable(),
      stop_reason: s.z.string().nullable(),
      begun_at: s.time(),
      recorded_at: s.time().nullable(),
      duration_ms: s.z.number().nullable(),
      input_tokens: s.z.int().nullable().describe('of the request, with what was cached'),
      cache_read_tokens: s.z.int().nullable(),
      cache_write_tokens: s.z.int().nullable(),
      output_tokens: s.z.int().nullable(),
      cost_usd: s.z.number().nullable(),
      calls: s.z.array(
        s.z.object({
          call_id: s.z.string(),
          parent_call_id: s.z.string().nullable(),
          position: s.z.int(),
          name: s.z.string(),
          state: s.z.string(),
          is_error: s.z.boolean().nullable(),
          started_at: s.timeText().nullable(),
          ended_at: s.timeText().nullable(),
        }),
      ),
    })
    .meta({ id: 'TimelineTurn' }),
);

/** Turns after a turn of a focus, oldest first. */
export function readTimeline(
  tx: Queryable,
  id: string,
  after: readonly [focusId: string, turn: number] | null,
  limit: number,
): Promise<RowOf<typeof timelineTurn>[]> {
  return tx.query(
    `with turns as materialized (
       select focus_id, turn, provider, model, stop_reason, begun_at, recorded_at, duration_ms, usage, cost_usd
         from animus.visible_turns
        where work_item_id = $1::uuid and ($2::uuid is null or (focus_id, turn) > ($2, $3::int)) order by focus_id, turn limit $4),
     calls as (
       select c.focus_id, c.turn, json_agg(json_build_object('call_id', c.call_id, 'parent_call_id', c.parent_call_id, 'position', c.position, 'name', c.name, 'state', c.state,
                'is_error', c.is_error, 'started_at', animus.show_time(c.started_at), 'ended_at', animus.show_time(c.ended_at)) order by c.position, c.call_id) as calls
         from animus.visible_tool_calls c
        where c.work_item_id = $1::uuid and (c.focus_id, c.turn) >= (select focus_id, turn from turns order by focus_id, turn limit 1)
          and (c.focus_id, c.turn) <= (select focus_id, turn from turns order by focus_id desc, turn desc limit 1)
        group by c.focus_id, c.turn)
     select t.focus_id, t.turn, t.provider, t.model, t.stop_reason, t.begun_at, t.recorded_at, t.duration_ms, (t.usage ->> 'input')::int as input_tokens,
            (t.usage ->> 'cacheRead')::int as cache_read_tokens, (t.usage ->> 'cacheWrite')::int as cache_write_tokens, (t.usage ->> 'output')::int as output_tokens,
            t.cost_usd::float8 as cost_usd, coalesce(c.calls, '[]') as calls
       from turns t left join calls c on c.focus_id = t.focus_id and c.turn = t.turn order by t.focus_id, t.turn`,
    [id, ...(after ?? [null, 0]), limit],
  );
}
