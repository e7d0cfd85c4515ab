/** The first turn of a focus, as a daemon of version 0.1.0 begins and records it. */
import type { ModelAnswer } from '../../../src/core/work/conversation.ts';
import type { Queryable } from '../../../src/store/sql/database.ts';
import { answeredTurn, answerJson } from '../../../src/store/transcript/turns.ts';
import type { FocusedWork } from '../../support/begun-focus.ts';

export async function beginOldTurn(db: Queryable, { key }: FocusedWork): Promise<void> {
  await db.query(`select animus.begin_turn($1, $2, 1, 0)`, [key.focusId, key.leaseToken]);
}

/** Its answer costs a cent. */
export async function recordOldTurn(db: Queryable, { key }: FocusedWork, answer: ModelAnswer): Promise<void> {
  await db.query(`select animus.record_turn($1, $2, 1, $3::json, '[]')`, [
    key.focusId,
    key.leaseToken,
    answerJson(answeredTurn(1, answer), answer, 0.01),
  ]);
}
