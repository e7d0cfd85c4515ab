import type { Queryable } from '../sql/database.ts';
import { readValues } from '../sql/read-value.ts';

/** Those of the conversations that were deleted and are not removed yet, with no work that still runs. */
export async function deletedConversations(db: Queryable, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  return readValues<string>(
    db,
    `select f.id from animus.files f where f.id = any ($1::uuid[]) and f.deleted_at is not null
        and not exists (select from animus.chat_messages m join animus.work_items w on w.id = m.work_item_id
                         where m.file_id = f.id and w.resolved_at is null)`,
    [ids],
  );
}
