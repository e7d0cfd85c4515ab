/** Reads what `animus work show` shows: all of an item, or what a login may see that only submits. */
import { readAsked } from '../../../operations/asked.ts';
import { readLedger } from '../../../operations/ledger.ts';
import { type Descendant, listWork, readDescendants, readWork } from '../../../operations/read-work.ts';
import type { Queryable } from '../../../store/sql/database.ts';
import { readArtifacts } from '../../../store/views/artifact-views.ts';
import { readFoci } from '../../../store/views/focus-views.ts';
import { readItemWorktree } from '../../../store/views/item-worktree.ts';
import { readUsedSkills } from '../../../store/views/skill-views.ts';
import { type Views, viewsOfLogin } from '../../../store/views/views-of-login.ts';
import { readOpenWaits } from '../../../store/views/waits-view.ts';
import { readBudgetLeft } from '../../../store/work/budgets.ts';
import { readMail } from './mail.ts';

export type ShownWork = Awaited<ReturnType<typeof readShownWork>>['shown'];

/** As many children as `readDescendants` returns. */
const MOST_CHILDREN = 500;

/** `id`: a full id. `isPart`: the login may not see the rest. Errors: `work.not_found`. */
export async function readShownWork(db: Queryable, id: string, full = false) {
  const views = await viewsOfLogin(db);
  const isPart = views === 'own';
  const item = await readWork(db, id, views);
  const shown = {
    item,
    waits: isPart ? [] : await readOpenWaits(db, id),
    budgets: isPart || item.resolved_at !== null ? [] : await readBudgetLeft(db, id),
    asked: isPart ? [] : await readAsked(db, id),
    messages: await readMail(db, id, views),
    artifacts: await readArtifacts(db, id, views),
    skills: isPart ? [] : await readUsedSkills(db, id),
    children: await readChildren(db, id, views),
    foci: isPart ? [] : await readFoci(db, id, full),
    ledger: await readLedger(db, id, views),
    worktree: await readItemWorktree(db, id),
  };
  return { shown, isPart };
}

/** For a login that only submits, its own children and no descendants of them. */
async function readChildren(db: Queryable, id: string, views: Views): Promise<Descendant[]> {
  if (views === 'visible') return readDescendants(db, id);
  const children = await listWork(db, { parentId: id, limit: MOST_CHILDREN }, views);
  return children.map((child) => ({ ...child, detached: false })).toReversed();
}
