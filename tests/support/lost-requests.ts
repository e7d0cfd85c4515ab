/** Turns whose requests may be lost, driven through the SQL functions that a daemon calls. */
import { randomUUID } from 'node:crypto';
import type { Queryable } from '../../src/store/sql/database.ts';
import { answeredTurn, recordTurn } from '../../src/store/transcript/turns.ts';
import type { FocusedWork } from './begun-focus.ts';
import { beginTurn } from './begun-turn.ts';

/** An answer of a hundred tokens in and ten out. */
export const COUNTED_ANSWER = {
  provider: 'p',
  model: 'm',
  responseId: null,
  content: [],
  stopReason: 'end_turn' as const,
  rawStopReason: null,
  cutToolCalls: [],
  usage: { input: 100, output: 10, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
  timeToFirstTokenMs: null,
  durationMs: 1,
};

/** What `lostOf` returns for a turn that has lost one request of 0.4 USD, or none. */
export const LOST = { requests: 1, usd: 0.4, unpriced: 0, open: false };
export const NOTHING = { requests: 0, usd: 0, unpriced: 0, open: false };

/** What a summary is reserved for. */
export const SUMMARY = { model: 'p/small', operation: 'summary' } as const;

/** Begins a turn whose request may cost so much; null: that is not known. */
export const beginFor = (
  db: Queryable,
  work: FocusedWork,
  turn: number,
  usd: number | null,
  request: string = randomUUID(),
) => beginTurn(db, work.key, turn, usd, [], request);

/** Records its answer, before which so many requests were lost. */
export const recordAfter = (db: Queryable, work: FocusedWork, turn: number, lost = 0, cost = 0.1) =>
  recordTurn(db, work.key, answeredTurn(turn, COUNTED_ANSWER), { ...COUNTED_ANSWER, lost }, cost);

/** What a turn has lost, and whether a request of it may be under way. */
export async function lostOf(db: Queryable, { key }: FocusedWork, turn = 1): Promise<typeof LOST> {
  const [row] = await db.query<typeof LOST>(
    `select lost_requests as requests, lost_usd::float8 as usd, lost_unpriced as unpriced, open_request is not null as open
       from animus.turns where focus_id = $1 and turn = $2`,
    [key.focusId, turn],
  );
  return row!;
}
