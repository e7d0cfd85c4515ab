/** `animus work worktrees`: the directories that are kept for their content. */
import { type KeptWorktree, readKeptWorktrees } from '../../../store/views/item-worktree.ts';
import type { CommonOptions, Invocation } from '../../../terminal/command/command.ts';
import { withDatabase } from '../../../terminal/command/database.ts';
import { styled } from '../../../terminal/view/output.ts';
import { age, bytes, shortId } from '../../../terminal/view/quantities.ts';
import type { Column } from '../../../terminal/view/table.ts';

interface WorktreesOptions extends CommonOptions {
  readonly host?: string;
  readonly limit: number;
}

export async function worktreesCommand(invocation: Invocation, { host, limit }: WorktreesOptions): Promise<number> {
  const { output } = invocation;
  const found = await withDatabase(invocation, (db) => readKeptWorktrees(db, host ?? null, limit + 1));
  const worktrees = found.slice(0, limit);
  output.document({ worktrees, more: found.length > limit });
  if (worktrees.length === 0) output.note('there are no directories of worktrees');
  else output.table(COLUMNS, worktrees.map(rowOf));
  if (found.length > limit)
    output.note(`there are more: animus work worktrees --limit ${Math.min(10_000, limit * 10)}`);
  if (worktrees.length > 0)
    output.line(
      styled(
        'see it: animus work diff ID; bring it in: animus work apply ID; remove it: animus work discard ID',
        'dim',
      ),
    );
  return 0;
}

const COLUMNS: readonly Column[] = [
  { title: 'ID' },
  { title: 'STATE' },
  { title: 'FACULTY', shrink: true, optional: true },
  { title: 'UNUSED', align: 'right' },
  { title: 'SIZE', align: 'right' },
  { title: 'ONLY THERE', shrink: true },
  { title: 'HOST', shrink: true, optional: true },
  { title: 'PATH', shrink: true },
];

function rowOf(tree: KeptWorktree) {
  const { work_item_id: id, state, faculty, holds, host, path } = tree;
  return [
    shortId(id),
    tree.discard_by === null ? state : styled('discarding', 'yellow'),
    faculty,
    age(tree.updated_at, Date.now()).replace(' ago', ''),
    tree.bytes === null ? '-' : bytes(tree.bytes),
    holds.length === 0 ? '-' : styled(holds.join(', '), 'yellow'),
    host,
    path,
  ];
}
