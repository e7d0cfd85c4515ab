/** The calls of a test's focus: what its model asks for, what is recorded, and the loss of its lease. */
import { randomUUID } from 'node:crypto';
import type { Database } from '../../src/store/sql/database.ts';
import { claimWork } from '../../src/store/work/work.ts';
import type { TestFocus } from '../support/focus.ts';

/** The script of a model that makes these calls in each of three turns and then ends. */
export function threeTurns(calls: (turn: number) => string): string {
  const turns = [1, 2, 3].map((turn) => `[[answer]]\nturn = ${turn}\ncall = [${calls(turn)}]`);
  return [...turns, '[[answer]]\nturn = 4\ntext = "all acted"'].join('\n');
}

/** The recorded calls of a focus, in the order of its answers. */
export async function recordedCalls(db: Database, focus: TestFocus) {
  return db.query<{ output: string | null; state: string }>(
    `select output, state from animus.tool_calls where focus_id = $1 order by turn, position`,
    [focus.key.focusId],
  );
}

/** How many of its calls have ended so far. */
export function endedCalls(focus: TestFocus): number {
  return focus.events.filter((event) => event.type === 'observation' && !event.live).length;
}

/** Its lease expires, and another daemon claims its work. */
export async function takeOver(db: Database, focus: TestFocus): Promise<void> {
  // A write of the focus that comes between the two statements renews its lease.
  for (;;) {
    const [item] = await db.query<{ faculty: string }>(
      `update animus.work_items set lease_expires_at = now() - interval '1 s' where id = $1 returning faculty`,
      [focus.key.workItemId],
    );
    const claimable = { [item!.faculty]: { max: 1, max_attempts: 3, dedup_until: 'resolved' as const } };
    const taken = await claimWork(db, randomUUID(), claimable, 1, 60);
    if (taken.length > 0) return;
  }
}
