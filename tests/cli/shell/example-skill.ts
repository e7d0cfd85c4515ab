/** The skill of the examples of `animus skill`. */
import type { Database } from '../../../src/store/sql/database.ts';
import { write } from '../../store/skills/written-skills.ts';
import { beginFocus } from '../../support/begun-focus.ts';

/** The skill release-notes with two versions, of which the second waits for a decision about it; to be rolled back, with three that were current. */
export async function exampleSkill(db: Database, command: string): Promise<void> {
  await db.query('truncate animus.skills, animus.pauses, animus.budget_limits cascade');
  const work = await beginFocus(db);
  await write(db, work, 'release-notes');
  if (command === 'rollback') for (const base of [1, 2]) await write(db, work, 'release-notes', { base });
  else if (command !== 'archive') await write(db, work, 'release-notes', { base: 1, mode: 'ask' });
}
