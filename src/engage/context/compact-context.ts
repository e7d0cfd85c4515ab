/** Compacts a full context, and records the summary that replaces the rest. */

import type { LlmResponse } from '../../llm/client.ts';
import type { Database, Queryable } from '../../store/sql/database.ts';
import { toText } from '../../store/sql/json.ts';
import { readChainLedger } from '../../store/transcript/ledger.ts';
import { readTranscript, type Transcript } from '../../store/transcript/transcript.ts';
import { recordSideCall } from '../../store/transcript/turns.ts';
import { count } from '../../telemetry/metrics.ts';
import { withinLease } from '../calls/within-lease.ts';
import type { LoopFocus, LoopRun } from '../turn/loop-state.ts';
import { settleFailed } from '../turn/settle-failed.ts';
import { settleStopped } from '../turn/settle-stopped.ts';
import { type Compaction, type CompactionInput, narrativeSoFar, planCompaction, summaryOf } from './compaction.ts';
import { contextLimits } from './context-bounds.ts';
import { openHandles, recordMessage } from './context-prepare.ts';
import { leaveOutFiles } from './leave-out-files.ts';
import { inputPressure } from './pressure.ts';
import { holdSideCall } from './side-call.ts';
import { narrate, summaryRequest } from './summary-call.ts';

/** Compacts the context if it has reached its threshold; otherwise returns it unchanged. */
export async function compactUnderPressure(
  transcript: Transcript,
  focus: LoopFocus,
  run: LoopRun,
  db: Database,
): Promise<Transcript> {
  const limit = contextLimits(focus.bounds, focus.model).prompt;
  if (inputPressure(transcript, focus) <= limit) return transcript;
  return (await compact(transcript, limit, focus, run, db)) ?? transcript;
}

/**
 * Compacts to half the size after the provider refused a request as too long; null if nothing can be compacted. Uses only
 * the estimate, because the provider's count of the last request was too low.
 */
export async function compactAfterOverflow(
  transcript: Transcript,
  focus: LoopFocus,
  run: LoopRun,
  db: Database,
): Promise<Transcript | null> {
  const turns = transcript.turns.map((turn) => ({ ...turn, inputTokens: null }));
  const uncounted = { ...transcript, turns };
  const limit = contextLimits(focus.bounds, focus.model).prompt;
  const smaller = await compact(uncounted, Math.min(limit, inputPressure(uncounted, focus) / 2), focus, run, db);
  return smaller && { ...smaller, turns: transcript.turns };
}

/** Images and documents of earlier results are left out first; that may be enough. */
async function compact(
  whole: Transcript,
  limit: number,
  focus: LoopFocus,
  run: LoopRun,
  db: Database,
): Promise<Transcript | null> {
  const lighter = await leaveOutFiles(whole, focus, db);
  if (lighter && inputPressure(lighter, focus) <= limit) return lighter;
  return (await compactWords(lighter ?? whole, limit, focus, run, db)) ?? lighter;
}

async function compactWords(
  transcript: Transcript,
  limit: number,
  focus: LoopFocus,
  run: LoopRun,
  db: Database,
): Promise<Transcript | null> {
  const input: CompactionInput = {
    ledger: await readChainLedger(db, focus.key.workItemId),
    handles: await openHandles(transcript, db, focus.key),
    prefix: focus,
    keepRecent: focus.bounds.compactKeepRecent,
    promptTokens: limit,
    summaryTokens: Math.min(contextLimits(focus.bounds, focus.model).summary, limit / 2),
  };
  const plan = planCompaction(transcript, input);
  if (!plan) return null;
  if (plan.thin || !plan.fits) {
    const summarised = await summarise(transcript, plan, input, focus, run, db);
    if (summarised) return summarised;
  }
  count('work.context.compactions', 1, { faculty: focus.faculty });
  return recordSummary(db, transcript, plan.keepsFrom, plan.content, focus);
}

/** A model's summary and the ledger. If the plan does not fit, the ledger gets half of its space; null if the model gave no summary. */
async function summarise(
  transcript: Transcript,
  plan: Compaction,
  input: CompactionInput,
  focus: LoopFocus,
  run: LoopRun,
  db: Database,
): Promise<Transcript | null> {
  // Everything that is sent to a model must be recorded first, as in a turn.
  await run.journal.flush(run.signal);
  const request = summaryRequest(transcript, plan.keepsFrom, focus.model);
  if (!(await holdSideCall(request, focus, run, db))) return null;
  const narrative = await run.time.elsewhere(narrate(request, focus.model, run.signal, run.budget.limited));
  if (run.signal.aborted) {
    const lost = 'response' in narrative ? (narrative.response.lost ?? 0) + 1 : narrative.lost;
    await settleStopped(0, lost, focus.key, db);
  }
  run.signal.throwIfAborted();
  // Without a summary, the ledger is enough; the failed call is visible as a span.
  if (!('response' in narrative)) {
    await settleFailed(0, narrative, focus, run, db);
    return null;
  }
  const { response } = narrative;
  const text = narrative.text || narrativeSoFar(transcript);
  const smaller = plan.fits ? input : { ...input, summaryTokens: input.summaryTokens / 2 };
  const content = summaryOf(transcript, smaller, text);
  count('work.context.emergency_summarizations', 1, { faculty: focus.faculty });
  return withinLease(() => recordPaid(transcript, plan.keepsFrom, content, response, focus, db), run.signal);
}

/** Records summary and cost in one transaction. A retry after a lost commit finds the summary recorded and does not charge it again. */
async function recordPaid(
  transcript: Transcript,
  keepsFrom: number,
  content: string,
  response: LlmResponse,
  focus: LoopFocus,
  db: Database,
): Promise<Transcript> {
  return db.transaction(async (tx) => {
    const { messages } = await readTranscript(tx, focus.key.focusId);
    const there = messages.find(
      (one) => one.kind === 'summary' && one.afterTurn === transcript.turns.length && one.content === toText(content),
    );
    if (there) return { ...transcript, messages: [...transcript.messages, there] };
    const costUsd = response.usage && focus.model.costUsd(response.usage);
    await recordSideCall(tx, focus.key, response, costUsd);
    return recordSummary(tx, transcript, keepsFrom, content, focus);
  });
}

async function recordSummary(
  db: Queryable,
  transcript: Transcript,
  keepsFrom: number,
  content: string,
  { key }: LoopFocus,
): Promise<Transcript> {
  const summary = { afterTurn: transcript.turns.length, kind: 'summary' as const, content, keepsFrom };
  const recorded = await recordMessage(db, key, summary);
  return { ...transcript, messages: [...transcript.messages, recorded] };
}
