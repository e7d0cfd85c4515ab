/** How many turns per second foci record, each with one call, as a daemon does it. */
import type { Database } from '../../../src/store/sql/database.ts';
import type { FocusedWork } from '../../support/begun-focus.ts';

/** The foci write at once, one turn after the other. */
export async function turnsPerSecond(db: Database, foci: readonly FocusedWork[], seconds: number): Promise<number> {
  const begun = performance.now();
  const counts = await Promise.all(foci.map((focus) => record(db, focus, begun + 1000 * seconds)));
  return (1000 * counts.reduce((a, b) => a + b, 0)) / (performance.now() - begun);
}

const ANSWER = JSON.stringify({
  provider: 'p',
  model: 'm',
  content: [{ type: 'text', text: 'I look at it.' }],
  stop_reason: 'tool_use',
  usage: { input: 100, output: 20 },
});
const CALLS = JSON.stringify([{ call_id: 'a', name: 'look', input: { path: 'x' }, state: 'started' }]);

async function record(db: Database, { key }: FocusedWork, untilMs: number): Promise<number> {
  let turn = 1;
  for (let results = '[]'; performance.now() < untilMs; turn++) {
    await db.query('select animus.begin_turn($1, $2, $3, 0, $4::jsonb)', [key.focusId, key.leaseToken, turn, results]);
    await db.query('select animus.record_turn($1, $2, $3, $4::json, $5::json)', [
      key.focusId,
      key.leaseToken,
      turn,
      ANSWER,
      CALLS,
    ]);
    results = JSON.stringify([{ turn, call_id: 'a', state: 'done', output: 'seen', is_error: false }]);
  }
  return turn - 1;
}
