/** Says on stderr what an item is waiting for, while a command follows it, or waits for its answer. */
import { isAnimusError } from '../../core/errors/errors.ts';
import type { Queryable } from '../../store/sql/database.ts';
import type { Output } from '../view/output.ts';
import { workFollower } from './followed-work.ts';
import { waitingNews } from './waiting-news.ts';

/** Returns what to call again and again; it says each thing once. Errors: `db.*`. */
export async function waitingNotes(output: Output, db: Queryable, workItemId: string): Promise<() => Promise<void>> {
  const follower = await workFollower(db);
  const saysWhy = waitingNews(output);
  return async () => {
    const item = await follower.item(workItemId).catch((error: unknown) => {
      if (isAnimusError(error, 'work.not_found')) return null;
      throw error;
    });
    if (item !== null) saysWhy(item);
  };
}
