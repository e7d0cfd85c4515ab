/** Reserves, and under limits holds, what a side call may cost: a model call outside a turn, such as a summary. */
import { randomUUID } from 'node:crypto';
import { estimateMessages } from '../../core/work/message-tokens.ts';
import type { LlmFailure, LlmRequest } from '../../llm/client.ts';
import { beginSideCall, giveBackTurn, loseTurn } from '../../store/transcript/budgeted-turns.ts';
import { withinLease } from '../calls/within-lease.ts';
import type { ContextMeans } from './context-prepare.ts';
import { sideCallCost } from './turn-cost.ts';

type SideMeans = Pick<ContextMeans, 'db' | 'focus' | 'signal' | 'model' | 'budget'>;

/** For the summary of a context. False: the limits do not allow the call. What is held under limits is on disk. */
export async function holdSideCall(request: LlmRequest, means: SideMeans): Promise<boolean> {
  const { db, focus, signal, model, budget } = means;
  const cost = sideCallCost(estimateMessages(request.messages), request.maxTokens, model);
  const reservation = { ...cost, request: randomUUID() };
  const purpose = { model: `${model.provider}/${model.model}`, operation: 'summary' } as const;
  const hold = () => withinLease(() => beginSideCall(db, focus, reservation, purpose), signal);
  while (await hold()) {
    if (!budget?.limited || (await withinLease(() => budget.keepTurn(focus.focusId, 0), signal))) return true;
  }
  return false;
}

/** Gives back what a call that failed certainly has not cost, or counts it as lost. */
export async function settleSideCall({ lost }: LlmFailure, { db, focus, signal }: SideMeans): Promise<void> {
  await withinLease(() => (lost === 0 ? giveBackTurn(db, focus, 0) : loseTurn(db, focus, 0, lost)), signal);
}
