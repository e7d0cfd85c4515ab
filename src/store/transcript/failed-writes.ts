/** Reads whether any call that writes has succeeded for an item. */
import type { FailedWrites } from '../../core/work/failed-writes.ts';
import type { Queryable } from '../sql/database.ts';

/**
 * The calls of these tools, in all attempts at the item, by the model and by code; null if there was none, or if one of them has succeeded
 * or may have.
 */
export async function readFailedWrites(
  db: Queryable,
  workItemId: string,
  tools: readonly string[],
): Promise<FailedWrites | null> {
  const [row] = await db.query<FailedWrites & { readonly failed: number }>(
    `select count(*)::int as calls, (count(*) filter (where c.state in ('failed', 'denied')))::int as failed,
            array_agg(distinct c.name order by c.name) as tools,
            (array_agg(left(c.output, 300) order by f.number desc, c.turn desc, c.position desc))[1] as last
       from animus.tool_calls c join animus.foci f on f.id = c.focus_id
      where f.work_item_id = $1 and c.name = any($2::text[])`,
    [workItemId, tools],
  );
  const { calls, failed, tools: called, last } = row!;
  return calls === 0 || failed < calls ? null : { calls, tools: called, last };
}
