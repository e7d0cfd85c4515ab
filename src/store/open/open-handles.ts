/** The open handles of a work item. */
import type { Queryable } from '../sql/database.ts';

/** Running children, open waits and outputs stored as artifacts, each with its id; commands in the background, which the transcript tells. */
export interface OpenHandle {
  readonly kind: 'child' | 'wait' | 'artifact' | 'command';
  readonly id: string;
}

/** The open handles of an item and its focus, oldest first within a kind. */
export async function readOpenHandles(
  db: Queryable,
  focus: { readonly workItemId: string; readonly focusId: string },
): Promise<OpenHandle[]> {
  return db.query<OpenHandle>(
    `select kind, id from (
       select 1 as rank, 'child' as kind, id::text as id from animus.work_items where parent_id = $1 and resolved_at is null
       union all
       select 2, 'wait', call_id from animus.waits where work_item_id = $1 and resolved_at is null
       union all
       select 3, 'artifact', id::text from animus.artifacts where focus_id = $2
     ) open order by rank, id`,
    [focus.workItemId, focus.focusId],
  );
}
