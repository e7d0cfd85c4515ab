/** Counts the directories of worktrees that are kept for their content. */
import type { Database } from '../../store/sql/database.ts';
import { readWorktreesStatus } from '../../store/views/status-view.ts';
import { type Finding, fine, note } from '../../terminal/view/finding.ts';
import { worktreesText } from '../../terminal/view/show-worktrees.ts';

/** From so much on, it is worth a look. */
const MANY_BYTES = 10_000_000_000;

/** A note where they take much room; that nothing is removed by itself is not a fault. */
export async function examineWorktrees(db: Database): Promise<readonly Finding[]> {
  const found = await readWorktreesStatus(db);
  // The schema is older; the schema check reports that.
  if (found === null) return [];
  if (found.length === 0) return [fine('worktrees', 'no directory of a worktree is kept')];
  return found.map((each) =>
    each.bytes < MANY_BYTES
      ? fine('worktrees', `${worktreesText(each)}; list them: animus work worktrees`)
      : note('worktrees', worktreesText(each), REMEDY),
  );
}

const REMEDY =
  'list them: animus work worktrees; remove one: animus work discard ID; or set retention.held_worktree_days (docs/worktrees.md)';
