/** Says on stderr what an item is waiting for, while a command follows it, or waits for its answer. */
import { isAnimusError } from '../../core/errors/errors.ts';
import { readWork } from '../../operations/read-work.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { viewsOfLogin } from '../../store/views/views-of-login.ts';
import type { Output } from '../view/output.ts';
import { waitingNews } from './waiting-news.ts';

/** Returns what to call again and again; it says each thing once. Errors: `db.*`. */
export async function waitingNotes(output: Output, db: Queryable, workItemId: string): Promise<() => Promise<void>> {
  const views = await viewsOfLogin(db);
  const saysWhy = waitingNews(output);
  return async () => {
    const item = await readWork(db, workItemId, views).catch((error: unknown) => {
      if (isAnimusError(error, 'work.not_found')) return null;
      throw error;
    });
    if (item !== null) saysWhy(item);
  };
}
