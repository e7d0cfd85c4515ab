/** Holds what a model call may cost that is no turn, such as a summary. Without limits, it does nothing. */
import { randomUUID } from 'node:crypto';
import { type LlmFailure, type LlmRequest, mayHaveCost } from '../../llm/client.ts';
import { beginSideCall, giveBackTurn } from '../../store/transcript/budgeted-turns.ts';
import { withinLease } from '../calls/within-lease.ts';
import type { ContextMeans } from './context-prepare.ts';
import { estimateMessages } from './pressure.ts';
import { sideCallCost } from './turn-cost.ts';

type SideMeans = Pick<ContextMeans, 'db' | 'focus' | 'signal' | 'model' | 'budget'>;

/** False: the limits do not allow the call. What is held is on disk. */
export async function holdSideCall(request: LlmRequest, means: SideMeans): Promise<boolean> {
  const { db, focus, signal, model, budget } = means;
  if (!budget?.limited) return true;
  const cost = sideCallCost(estimateMessages(request.messages), request.maxTokens, model);
  const reservation = { ...cost, attempt: randomUUID() };
  const hold = () => withinLease(() => beginSideCall(db, focus, reservation), signal);
  while (await hold()) if (await withinLease(() => budget.keepTurn(focus.focusId, 0), signal)) return true;
  return false;
}

/** Gives back what was held for a call that failed before it could cost anything. Any other counts in full. */
export async function giveBackSideCall(failure: LlmFailure, { db, focus, signal, budget }: SideMeans): Promise<void> {
  if (!budget?.limited || mayHaveCost(failure)) return;
  await withinLease(() => giveBackTurn(db, focus, 0), signal);
}
