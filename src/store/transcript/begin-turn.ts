/** Begins turns: what a request may cost is reserved, and under limits held, before it is sent. */
import type { BudgetUnit } from '../../core/config/sections/budget.ts';
import type { Queryable } from '../sql/database.ts';
import { toJsonb } from '../sql/json.ts';
import { readValue } from '../sql/read-value.ts';
import { type CallResult, resultRow } from './calls.ts';
import type { FocusKey } from './focus-row.ts';

/**
 * May the next model call be made? `mail`: messages to the work were added to the context after the newest turn, and the turn has to be begun again
 * with them. `reserve`: a limit applies, and the caller holds nothing; begin the turn by itself. `budget_busy`: only turns under way keep it from
 * beginning; `budget`: a limit is used up.
 */
export type TurnPermit = 'go' | 'cancelled' | 'paused' | 'mail' | 'reserve' | 'budget_busy' | 'budget';

/** What a request may cost at most. */
export interface Reservation {
  /** Null: a model of the chain has no price. */
  readonly usd: number | null;
  /** 0 where no model is asked; null: nothing is held under limits, and the permit is `reserve` there. */
  readonly tokens: number | null;
  /** A UUID that names the request: beginning the same one again changes nothing, and one that is begun for another request has lost this one. */
  readonly request: string;
}

/** An account of which 80 % is used, told for the first time. */
export interface UsedBudget {
  readonly scope: string;
  readonly subject: string;
  readonly unit: BudgetUnit;
  readonly period: string;
  readonly amount: number;
  readonly used: number;
}

/** A turn that was begun, or why not. */
export type TurnBeginning =
  | {
      readonly permit: 'go';
      /** Set where a limit applies: nothing may be sent before `KeepTurn` says that the beginning is on disk. They were added to the context after the turn before. */
      readonly messages?: readonly string[];
      /** Set with `messages`. */
      readonly used?: readonly UsedBudget[];
    }
  /** `wait`: a wait is open, so the item has to be parked. */
  | {
      readonly permit: 'budget';
      readonly action: 'wait' | 'die';
      readonly message: string;
      /** Set, with `die`: a model has no price, and the limit would have the work wait. */
      readonly unpriced?: true;
    }
  | { readonly permit: Exclude<TurnPermit, 'go' | 'budget'> };

/**
 * Records the ends of the calls before, where they are not recorded yet, and begins a turn: one statement, one commit, which does not wait for the disk.
 * `inBatch`: nothing is sent before `putTurn`.
 */
export async function beginTurn(
  db: Queryable,
  { focusId, leaseToken }: FocusKey,
  turn: number,
  { usd, tokens, request }: Reservation,
  results: readonly CallResult[],
  inBatch = false,
): Promise<TurnBeginning> {
  const begin = 'select animus.begin_turn($1, $2, $3, $4, $5::jsonb, $6, $7, $8)';
  const rows = toJsonb(results.map(resultRow));
  return readValue<TurnBeginning>(db, begin, [focusId, leaseToken, turn, usd, rows, request, tokens, inBatch]);
}
