/** Model calls under limits: each holds what it may cost at most before it is sent. */
import type { BudgetUnit } from '../../core/config/budget.ts';
import type { Usage } from '../../core/work/conversation.ts';
import type { Queryable } from '../sql/database.ts';
import { toJsonb } from '../sql/json.ts';
import { batchWrites } from '../sql/write-batcher.ts';
import { type CallResult, resultRow } from './calls.ts';
import type { FocusKey } from './focus-row.ts';
import type { TurnPermit } from './turns.ts';

/** What a call may cost at most. */
export interface Reservation {
  /** Null: a model of the chain has no price. */
  readonly usd: number | null;
  readonly tokens: number;
  /** A UUID that names the request: beginning the same one again changes nothing. */
  readonly attempt: string;
}

/** An account of which 80 % are used, told for the first time. */
export interface UsedBudget {
  readonly scope: string;
  readonly subject: string;
  readonly unit: BudgetUnit;
  readonly period: string;
  readonly amount: number;
  readonly used: number;
}

export type BudgetedPermit =
  | {
      readonly permit: 'go';
      /** Messages that were added to the context after the turn before. */
      readonly messages: readonly string[];
      readonly used: readonly UsedBudget[];
    }
  /** `wait`: a wait is open, so the item has to be parked. */
  | { readonly permit: 'budget'; readonly action: 'wait' | 'die'; readonly message: string }
  | { readonly permit: Exclude<TurnPermit, 'go' | 'budget' | 'reserve'> };

/** Begins a turn as `beginTurn` does, and holds what it may cost. It may not be sent before `KeepTurn` says that it is on disk. */
export async function beginBudgetedTurn(
  db: Queryable,
  focus: FocusKey,
  turn: number,
  { usd, tokens, attempt }: Reservation,
  results: readonly CallResult[],
): Promise<BudgetedPermit> {
  const [row] = await db.query<{ begun: BudgetedPermit }>(
    'select animus.begin_budgeted_turn($1, $2, $3, $4::jsonb, $5, $6, $7) as begun',
    [focus.focusId, focus.leaseToken, turn, toJsonb(results.map(resultRow)), usd, tokens, attempt],
  );
  return row!.begun;
}

/** Gives back what was held for a request that cost nothing; `turn` 0: a call that is no turn. */
export async function giveBackTurn(db: Queryable, focus: FocusKey, turn: number): Promise<void> {
  await db.query('select animus.give_back_turn($1, $2, $3)', [focus.focusId, focus.leaseToken, turn]);
}

/** Holds what a call may cost that is no turn; false: the limits do not allow it. */
export async function beginSideCall(
  db: Queryable,
  focus: FocusKey,
  { usd, tokens, attempt }: Reservation,
): Promise<boolean> {
  const [row] = await db.query<{ may: boolean }>('select animus.begin_side_call($1, $2, $3, $4, $5) as may', [
    focus.focusId,
    focus.leaseToken,
    usd,
    tokens,
    attempt,
  ]);
  return row!.may;
}

/** Holds what an embedding may cost, on disk: `free`, no limit applies; `refused`: a limit does not allow it. One at a time for a focus. */
export async function holdEmbedding(
  db: Queryable,
  focus: FocusKey,
  { usd, tokens, attempt }: Reservation,
): Promise<'free' | 'held' | 'refused'> {
  const [row] = await db.query<{ held: 'free' | 'held' | 'refused' }>(
    'select animus.hold_embedding($1, $2, $3, $4, $5) as held',
    [focus.focusId, focus.leaseToken, usd, tokens, attempt],
  );
  return row!.held;
}

/** Says what a call that is no turn has cost, in the transaction that records it. */
export async function endSideCall(
  db: Queryable,
  focus: FocusKey,
  costUsd: number | null,
  usage: Pick<Usage, 'input' | 'output'> | null,
): Promise<void> {
  const values = [focus.focusId, focus.leaseToken, costUsd, toJsonb(usage)];
  await db.query('select animus.end_side_call($1, $2, $3, $4::jsonb)', values);
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
    const [row] = await db.query<{ kept: boolean[] }>('select animus.keep_turns($1::uuid[], $2::int[]) as kept', [
      turns.map(({ focusId }) => focusId),
      turns.map(({ turn }) => turn),
    ]);
    return row!.kept;
  }, most);
  return (focusId, turn) => keep({ focusId, turn });
}
