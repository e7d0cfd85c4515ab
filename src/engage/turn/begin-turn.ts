/** Begins a turn: permitted, its cost reserved, and under limits held on disk, before its request is sent. */
import { isAnimusError } from '../../core/errors/errors.ts';
import type { Database } from '../../store/sql/database.ts';
import {
  beginTurn as begin,
  type Reservation,
  type TurnBeginning,
  type TurnPermit,
} from '../../store/transcript/begin-turn.ts';
import { giveBackTurn } from '../../store/transcript/budgeted-turns.ts';
import { readMail } from '../../store/transcript/messages.ts';
import { count } from '../../telemetry/metrics.ts';
import { withinLease } from '../calls/within-lease.ts';
import type { Exceeded } from './focus-budget.ts';
import type { LoopFocus, LoopRun } from './loop-state.ts';

/** A turn as it is begun, and begun again where a server has lost its beginning. */
export interface OpenTurn {
  /** From 1. */
  readonly number: number;
  readonly reservation: Reservation;
  /** The number of messages of people in its request that no answer has followed. */
  readonly mail: number;
}

/** Why a turn was not begun, or its answer may no longer be recorded. */
export interface Refusal {
  readonly kind: 'refused';
  readonly permit: Exclude<TurnPermit, 'go'>;
  /** There with the permit `budget`. */
  readonly exceeded?: Exceeded;
}

/** `notices`: messages that were added to the context after the turn before: most of a budget is used. */
export type Begun = { readonly kind: 'begun'; readonly notices: readonly string[] };

/**
 * Begins the turn, and records the ends of calls that are not recorded yet; retried while the database is unreachable and the lease lasts. Under limits, it resolves when
 * that is on disk.
 */
export async function beginTurn(
  turn: OpenTurn,
  { key, faculty, model }: LoopFocus,
  run: LoopRun,
  db: Database,
): Promise<Begun | Refusal> {
  const { journal, signal, budget } = run;
  const inBatch = model.batch !== undefined;
  for (let tries = 0; ; ) {
    const begun = await withinLease(() => {
      tries += 1;
      return journal.handOver((results) => begin(db, key, turn.number, turn.reservation, results, inBatch));
    }, signal);
    if (begun.permit !== 'go') return refusal(begun, faculty);
    const { messages, used = [] } = begun;
    budget.limited = messages !== undefined;
    if (tries > 1 && (await hasNewMail(turn, key, run, db))) {
      // It is begun again for a request with the messages. What is reserved for this one would count as lost then.
      const isKept = inBatch ? messages !== undefined : run.unsent.has(turn.number);
      if (isKept) await withinLease(() => giveBackTurn(db, key, turn.number), signal);
      run.unsent.isOver();
      return { kind: 'refused', permit: 'mail' };
    }
    if (messages === undefined) return { kind: 'begun', notices: [] };
    for (const one of used) {
      count('work.budget.warnings', 1, { faculty, scope: one.scope });
      budget.onUsed(one);
    }
    // False after a crash of the server, which may have lost the beginning.
    if (await withinLease(() => budget.keepTurn(key.focusId, turn.number), signal)) {
      return { kind: 'begun', notices: messages };
    }
  }
}

/** A try whose response was lost may have delivered messages. */
export async function hasNewMail(
  { number, mail }: Pick<OpenTurn, 'number' | 'mail'>,
  { focusId }: LoopFocus['key'],
  { signal }: LoopRun,
  db: Database,
): Promise<boolean> {
  return (await withinLease(() => readMail(db, focusId, number - 1), signal)).length > mail;
}

/** Writes to a begun turn; refused where that is no longer possible. */
export async function writeBegun<T>(
  turn: OpenTurn,
  focus: LoopFocus,
  run: LoopRun,
  db: Database,
  write: () => Promise<T>,
): Promise<T | Refusal> {
  try {
    return await write();
  } catch (error) {
    if (!isAnimusError(error, 'work.state')) throw error;
    // The server has crashed since and lost the beginning of the turn, which does not wait for the disk: write it again, with the ends of calls.
    const again = await beginTurn(turn, focus, run, db);
    return again.kind === 'begun' ? write() : again;
  }
}

function refusal(begun: Exclude<TurnBeginning, { permit: 'go' }>, faculty: string): Refusal {
  if (begun.permit === 'budget') {
    count('work.budget.refusals', 1, { faculty, result: begun.action });
    return { kind: 'refused', permit: 'budget', exceeded: begun };
  }
  if (begun.permit === 'budget_busy') count('work.budget.refusals', 1, { faculty, result: 'busy' });
  return { kind: 'refused', permit: begun.permit };
}
