/** Reserves, and under limits holds, what a side call may cost: a model call outside a turn, such as a summary. */
import { randomUUID } from 'node:crypto';
import { estimateMessages } from '../../core/work/message-tokens.ts';
import type { LlmRequest } from '../../llm/client.ts';
import type { Database } from '../../store/sql/database.ts';
import { beginSideCall } from '../../store/transcript/budgeted-turns.ts';
import { withinLease } from '../calls/within-lease.ts';
import type { LoopFocus, LoopRun } from '../turn/loop-state.ts';
import { sideCallCost } from './turn-cost.ts';

/** For the summary of a context. False: the limits do not allow the call. What is held under limits is on disk. */
export async function holdSideCall(
  request: LlmRequest,
  { key, model }: LoopFocus,
  { signal, budget }: LoopRun,
  db: Database,
): Promise<boolean> {
  const cost = sideCallCost(estimateMessages(request.messages), request.maxTokens, model);
  const reservation = { ...cost, request: randomUUID() };
  const purpose = { model: `${model.provider}/${model.model}`, operation: 'summary' } as const;
  const hold = () => withinLease(() => beginSideCall(db, key, reservation, purpose), signal);
  while (await hold()) {
    if (!budget.limited || (await withinLease(() => budget.keepTurn(key.focusId, 0), signal))) return true;
  }
  return false;
}
