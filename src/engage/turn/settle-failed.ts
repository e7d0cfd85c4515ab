/** What the requests of a failed call have cost. */
import type { LlmFailure } from '../../llm/client.ts';
import type { Database } from '../../store/sql/database.ts';
import { giveBackTurn, loseTurn } from '../../store/transcript/budgeted-turns.ts';
import { withinLease } from '../calls/within-lease.ts';
import type { LoopFocus, LoopRun } from './loop-state.ts';

/** Gives back what certainly was not spent, or counts it as lost. `turn` 0: a side call. */
export async function settleFailed(
  turn: number,
  { lost }: LlmFailure,
  { key }: LoopFocus,
  { signal }: LoopRun,
  db: Database,
): Promise<void> {
  await withinLease(() => (lost === 0 ? giveBackTurn(db, key, turn) : loseTurn(db, key, turn, lost)), signal);
}
