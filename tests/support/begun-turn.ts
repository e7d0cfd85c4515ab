/** Begins turns in tests of the database. */
import type { Queryable } from '../../src/store/sql/database.ts';
import { beginTurn as begin, type Reservation, type TurnPermit } from '../../src/store/transcript/begin-turn.ts';
import type { CallResult } from '../../src/store/transcript/calls.ts';
import type { FocusKey } from '../../src/store/transcript/focus-row.ts';

/** Begins a turn that holds nothing under limits, and returns its permit. `request`: as of `Reservation`; null: it uses no model. */
export async function beginTurn(
  db: Queryable,
  focus: FocusKey,
  turn: number,
  usd: number | null,
  results: readonly CallResult[] = [],
  request: string | null = null,
): Promise<TurnPermit> {
  const reservation = { usd, tokens: null, request } as Reservation;
  return (await begin(db, focus, turn, reservation, results)).permit;
}
