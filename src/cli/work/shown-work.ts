/** Reads what `animus work show` shows: all of an item, or what a login may see that only submits. */

import { readAsked } from '../../operations/asked.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { type LedgerEntry, readWholeLedger } from '../../store/transcript/ledger.ts';
import { readArtifacts } from '../../store/views/artifact-views.ts';
import { readFoci } from '../../store/views/focus-views.ts';
import { readItemWorktree } from '../../store/views/item-worktree.ts';
import { readMailbox } from '../../store/views/mail-view.ts';
import { readUsedSkills } from '../../store/views/skill-views.ts';
import { readOpenWaits } from '../../store/views/waits-view.ts';
import { type Descendant, readDescendants, readWork, seesTables } from '../../store/views/work-views.ts';
import { readBudgetLeft } from '../../store/work/budgets.ts';

export type ShownWork = Omit<Awaited<ReturnType<typeof readAll>>, 'ledger'> & {
  readonly ledger: readonly LedgerEntry[];
};

/** As many children as `readDescendants` returns. */
const MOST_CHILDREN = 500;

/** `id`: a full id. `isPart`: the login may not see the rest. Errors: `work.not_found`. */
export async function readShownWork(
  db: Queryable,
  id: string,
  full = false,
): Promise<{ readonly shown: ShownWork; readonly isPart: boolean }> {
  const isPart = !(await seesTables(db));
  return { shown: isPart ? await readOwn(db, id) : await readAll(db, id, full), isPart };
}

async function readAll(db: Queryable, id: string, full: boolean) {
  const item = await readWork(db, id);
  return {
    item,
    waits: await readOpenWaits(db, id),
    budgets: item.resolved_at === null ? await readBudgetLeft(db, id) : [],
    asked: await readAsked(db, id),
    messages: await readMailbox(db, id),
    artifacts: await readArtifacts(db, id),
    skills: await readUsedSkills(db, id),
    children: await readDescendants(db, id),
    foci: await readFoci(db, id, full),
    ledger: await readWholeLedger(db, id),
    worktree: await readItemWorktree(db, id),
  };
}

async function readOwn(db: Queryable, id: string): Promise<ShownWork> {
  const { listOwnWork, readOwnArtifacts, readOwnLedger, readOwnMail, readOwnWork } = await import(
    '../../store/views/own-work.ts'
  );
  const children = await listOwnWork(db, { parentId: id, limit: MOST_CHILDREN });
  return {
    item: await readOwnWork(db, id),
    waits: [],
    budgets: [],
    asked: [],
    messages: await readOwnMail(db, id),
    artifacts: await readOwnArtifacts(db, id),
    skills: [],
    children: children.map((child): Descendant => ({ ...child, detached: false })).toReversed(),
    foci: [],
    ledger: await readOwnLedger(db, id),
    worktree: await readItemWorktree(db, id),
  };
}
