/** What becomes of reservations: requests that are given back or lost, side calls, and beginnings that wait for the disk. */
import type { Queryable } from '../sql/database.ts';
import { toJsonb } from '../sql/json.ts';
import { readValue } from '../sql/read-value.ts';
import { batchWrites } from '../sql/write-batcher.ts';
import type { Reservation } from './begin-turn.ts';
import type { FocusKey } from './focus-row.ts';

/** Gives back what was reserved or held for a request that cost nothing; `turn` 0: a side call. */
export async function giveBackTurn(db: Queryable, focus: FocusKey, turn: number): Promise<void> {
  await db.query('select animus.give_back_turn($1, $2, $3)', [focus.focusId, focus.leaseToken, turn]);
}

/** Counts requests that may have cost something and returned nothing, with what was reserved for each; `turn` 0: a side call. */
export async function loseTurn(db: Queryable, focus: FocusKey, turn: number, requests: number): Promise<void> {
  await db.query('select animus.lose_turn($1, $2, $3, $4)', [focus.focusId, focus.leaseToken, turn, requests]);
}

/** What a call is for that is not a turn: while it is under way, and when it is lost, it counts for this. */
export interface SideCallFor {
  /** `provider/model`. */
  readonly model: string;
  readonly operation: 'summary' | 'embedding';
}

/** Reserves what a side call may cost, and holds it; false: the limits do not allow it. */
export async function beginSideCall(
  db: Queryable,
  { focusId, leaseToken }: FocusKey,
  { usd, tokens, request }: Reservation,
  purpose: SideCallFor,
): Promise<boolean> {
  const begin = 'select animus.begin_side_call($1, $2, $3, $4, $5, $6::jsonb)';
  return readValue<boolean>(db, begin, [focusId, leaseToken, usd, tokens, request, toJsonb(purpose)]);
}

/** Holds what an embedding of a model (`provider/model`) may cost, on disk: `free`, no limit applies; `refused`: a limit does not allow it. One at a time for a focus. */
export async function holdEmbedding(
  db: Queryable,
  { focusId, leaseToken }: FocusKey,
  { usd, tokens, request }: Reservation,
  model: string,
): Promise<'free' | 'held' | 'refused'> {
  const hold = 'select animus.hold_embedding($1, $2, $3, $4, $5, $6)';
  return readValue<'free' | 'held' | 'refused'>(db, hold, [focusId, leaseToken, usd, tokens, request, model]);
}

/** Resolves when the beginning of a turn is on disk; false: the server has lost it, and it has to be begun again. */
export type KeepTurn = (focusId: string, turn: number) => Promise<boolean>;

/** Combines the waits of a daemon's foci: those that arrive while a statement is running share the next one, at most `most` of them. */
export function createTurnKeeper(db: Queryable, most = 200): KeepTurn {
  interface Begun {
    readonly focusId: string;
    readonly turn: number;
  }
  const keep = batchWrites(async (turns: readonly Begun[]) => {
    return readValue<boolean[]>(db, 'select animus.keep_turns($1::uuid[], $2::int[])', [
      turns.map(({ focusId }) => focusId),
      turns.map(({ turn }) => turn),
    ]);
  }, most);
  return (focusId, turn) => keep({ focusId, turn });
}
