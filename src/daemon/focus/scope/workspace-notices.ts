/** What a focus that goes on is told about its directory or worktree. */
import { estimateTokens } from '../../../core/work/tokens.ts';
import type { Database } from '../../../store/sql/database.ts';
import type { FocusKey } from '../../../store/transcript/focus-row.ts';
import { addMessage } from '../../../store/transcript/messages.ts';
import { readTranscript } from '../../../store/transcript/transcript.ts';
import type { Worktree } from '../../workspace/worktree.ts';

/** Told where the directory of a focus that goes on is missing. */
export const EMPTY_DIRECTORY =
  'The work continues in an empty directory. The directory with your files is on another host or no longer exists. Create again what you still need.';

/** Told where the worktree of a focus that goes on had to be made again. */
export function remadeNotice({ branch, made, path }: Worktree): string {
  const what =
    made === 'new'
      ? 'Nothing of it is left; it starts from the beginning.'
      : 'Committed changes are there; uncommitted changes are lost.';
  return `The worktree was created again at ${path}, on branch ${branch}. The old one is on another host or no longer exists. ${what}`;
}

/** Placed after the newest turn; not before the first message, which describes the workspace itself. */
export async function tell(key: FocusKey, db: Database, content: string): Promise<void> {
  const { turns, messages } = await readTranscript(db, key.focusId);
  if (messages.length === 0) return;
  await addMessage(db, key, { afterTurn: turns.length, kind: 'notice', content }, estimateTokens(content));
}
