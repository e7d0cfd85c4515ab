/** Says on stderr what an item is waiting for, while a command follows it, or waits for its answer. */
import { isAnimusError } from '../../core/errors/errors.ts';
import { systemClock } from '../../core/lifecycle/clock.ts';
import type { Waiting } from '../../core/work/waiting.ts';
import { readWork } from '../../operations/read-work.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { viewsOfLogin } from '../../store/views/views-of-login.ts';
import type { Output } from '../view/output.ts';
import { waitingCommand } from '../view/waiting-text.ts';

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

/** A wait that is over by then needs no note. */
const AFTER_MS = 2000;

interface Followed {
  readonly id: string;
  readonly faculty: string;
  readonly waiting: Waiting | null;
}

/** The same for what a command has read already: why an item does not go on, each answer once, when it has stood for a while. */
export function waitingNews(output: Output): (item: Followed) => void {
  const said = new Set<string>();
  let news: { readonly why: string; readonly atMs: number } | null = null;
  return (item) => {
    const why = item.waiting?.why ?? null;
    if (item.waiting === null || why === null || said.has(why)) return void (news = null);
    if (news?.why !== why) news = { why, atMs: systemClock.monotonicMs() + AFTER_MS };
    if (systemClock.monotonicMs() < news.atMs) return;
    said.add(why);
    const command = waitingCommand(item.waiting, item);
    output.note(
      `it waits: ${why}, until ${item.waiting.ends}${command === null ? '' : `; see: ${output.called} ${command}`}`,
    );
  };
}
