/** What a focus that goes on is told about its directory or worktree. */
import { estimateTokens } from '../../../core/work/tokens.ts';
import type { Database } from '../../../store/sql/database.ts';
import type { FocusKey } from '../../../store/transcript/focus-row.ts';
import { addMessage } from '../../../store/transcript/messages.ts';
import { readTranscript } from '../../../store/transcript/transcript.ts';
import type { RecordedWorktree } from '../../../store/work/worktrees.ts';
import type { Worktree } from '../../worktrees/worktree.ts';

/** Told where the directory of a focus that goes on is missing. */
export const EMPTY_DIRECTORY =
  'The work continues in an empty directory. The directory with your files is on another host or no longer exists. Create again what you still need.';

/** What a focus that goes on is told about its worktree; null where it is as it was. */
export function worktreeNotice(
  { made, path, lost, origin }: Worktree,
  recorded: RecordedWorktree | null,
): string | null {
  const { repo } = origin.repository;
  switch (made) {
    case 'new':
      return `The work continues in a new repository at ${path}.`;
    case 'kept':
      return null;
    case 'switched':
      return `The files at ${path} are now those that the answer before this one left.`;
    case 'damaged':
      return `The .git of ${path} was damaged. It was made again; your files are still there. Commits made since your work was last handed over to ${repo} are on no branch.`;
    case 'again': {
      const before =
        recorded !== null && recorded.path !== path
          ? ` Before, the work was in ${recorded.path} on host ${recorded.host}.`
          : '';
      return `The repository at ${path} was made again with everything that was handed over to ${repo}: commits and uncommitted files.${before} Files that git ignores are not there.`;
    }
    case 'lost':
      return `The repository at ${path} was made again, because ${lost ?? 'it was removed'}. Check what is missing.`;
    default:
      return made satisfies never;
  }
}

/** Placed after the newest turn; not before the first message, which describes the workspace itself. */
export async function tell(key: FocusKey, db: Database, content: string): Promise<void> {
  const { turns, messages } = await readTranscript(db, key.focusId);
  if (messages.length === 0) return;
  await addMessage(db, key, { afterTurn: turns.length, kind: 'notice', content }, estimateTokens(content));
}
