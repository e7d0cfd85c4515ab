/** Compacts a full context, and records the summary that replaces the rest. */

import type { LlmResponse } from '../../llm/client.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { toText } from '../../store/sql/json.ts';
import { readChainLedger } from '../../store/transcript/ledger.ts';
import { readTranscript, type Transcript } from '../../store/transcript/transcript.ts';
import { recordSideCall } from '../../store/transcript/turns.ts';
import { count } from '../../telemetry/metrics.ts';
import { withinLease } from '../calls/within-lease.ts';
import type { TurnMeans } from '../turn/model-turn.ts';
import { settleStopped } from '../turn/settle-stopped.ts';
import { type Compaction, type CompactionInput, narrativeSoFar, planCompaction, summaryOf } from './compaction.ts';
import { contextLimits } from './context-bounds.ts';
import { type ContextMeans, openHandles, recordMessage } from './context-prepare.ts';
import { inputPressure } from './pressure.ts';
import { holdSideCall, settleSideCall } from './side-call.ts';
import { narrate, summaryRequest } from './summary-call.ts';

export type CompactMeans = ContextMeans & Pick<TurnMeans, 'systemPrompt' | 'toolSpecs' | 'time'>;

/** Compacts the context if it has reached its threshold; otherwise returns it unchanged. */
export async function compactUnderPressure(transcript: Transcript, means: CompactMeans): Promise<Transcript> {
  const limit = contextLimits(means.bounds, means.model).prompt;
  if (inputPressure(transcript, means) <= limit) return transcript;
  return (await compact(transcript, limit, means)) ?? transcript;
}

/**
 * Compacts to half the size after the provider refused a request as too long; null if nothing can be compacted. Uses only
 * the estimate, because the provider's count of the last request was too low.
 */
export async function compactAfterOverflow(transcript: Transcript, means: CompactMeans): Promise<Transcript | null> {
  const turns = transcript.turns.map((turn) => ({ ...turn, inputTokens: null }));
  const uncounted = { ...transcript, turns };
  const limit = contextLimits(means.bounds, means.model).prompt;
  const smaller = await compact(uncounted, Math.min(limit, inputPressure(uncounted, means) / 2), means);
  return smaller && { ...smaller, turns: transcript.turns };
}

async function compact(transcript: Transcript, limit: number, means: CompactMeans): Promise<Transcript | null> {
  const input: CompactionInput = {
    ledger: await readChainLedger(means.db, means.focus.workItemId),
    handles: await openHandles(transcript, means.db, means.focus),
    prefix: means,
    keepRecent: means.bounds.compactKeepRecent,
    promptTokens: limit,
    summaryTokens: Math.min(contextLimits(means.bounds, means.model).summary, limit / 2),
  };
  const plan = planCompaction(transcript, input);
  if (!plan) return null;
  if (plan.thin || !plan.fits) {
    const summarised = await summarise(transcript, plan, input, means);
    if (summarised) return summarised;
  }
  count('work.context.compactions', 1, { faculty: means.faculty });
  return recordSummary(means.db, transcript, plan.keepsFrom, plan.content, means);
}

/** A model's summary and the ledger. If the plan does not fit, the ledger gets half of its space; null if the model gave no summary. */
async function summarise(
  transcript: Transcript,
  plan: Compaction,
  input: CompactionInput,
  means: CompactMeans,
): Promise<Transcript | null> {
  // Everything that is sent to a model must be recorded first, as in a turn.
  await means.journal.flush(means.signal);
  const request = summaryRequest(transcript, plan.keepsFrom, means.model);
  if (!(await holdSideCall(request, means))) return null;
  const payOnce = means.budget?.limited ?? false;
  const narrative = await means.time.elsewhere(narrate(request, means.model, means.signal, payOnce));
  if (means.signal.aborted) {
    const lost = 'response' in narrative ? (narrative.response.lost ?? 0) + 1 : narrative.lost;
    await settleStopped(0, lost, means);
  }
  means.signal.throwIfAborted();
  // Without a summary, the ledger is enough; the failed call is visible as a span.
  if (!('response' in narrative)) {
    await settleSideCall(narrative, means);
    return null;
  }
  const { response } = narrative;
  const text = narrative.text || narrativeSoFar(transcript);
  const smaller = plan.fits ? input : { ...input, summaryTokens: input.summaryTokens / 2 };
  const content = summaryOf(transcript, smaller, text);
  count('work.context.emergency_summarizations', 1, { faculty: means.faculty });
  return withinLease(() => recordPaid(transcript, plan.keepsFrom, content, response, means), means.signal);
}

/** Records summary and cost in one transaction. A retry after a lost commit finds the summary recorded and does not charge it again. */
async function recordPaid(
  transcript: Transcript,
  keepsFrom: number,
  content: string,
  response: LlmResponse,
  means: CompactMeans,
): Promise<Transcript> {
  return means.db.transaction(async (tx) => {
    const { messages } = await readTranscript(tx, means.focus.focusId);
    const there = messages.find(
      (one) => one.kind === 'summary' && one.afterTurn === transcript.turns.length && one.content === toText(content),
    );
    if (there) return { ...transcript, messages: [...transcript.messages, there] };
    const costUsd = response.usage && means.model.costUsd(response.usage);
    await recordSideCall(tx, means.focus, response, costUsd);
    return recordSummary(tx, transcript, keepsFrom, content, means);
  });
}

async function recordSummary(
  db: Queryable,
  transcript: Transcript,
  keepsFrom: number,
  content: string,
  means: CompactMeans,
): Promise<Transcript> {
  const summary = { afterTurn: transcript.turns.length, kind: 'summary' as const, content, keepsFrom };
  const recorded = await recordMessage(db, means.focus, summary);
  return { ...transcript, messages: [...transcript.messages, recorded] };
}
