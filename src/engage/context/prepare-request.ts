/** Prepares the context of the next request: within its limits, and judged by what runs before requests. */
import type { Transcript } from '../../store/transcript/transcript.ts';
import type { BeforeRequestVerdict } from '../turn/before-request.ts';
import type { LoopFocus, LoopReach, LoopRun } from '../turn/loop-state.ts';
import { compactAfterOverflow, compactUnderPressure } from './compact-context.ts';
import { renderMessages } from './context.ts';
import { newestFold } from './context-folds.ts';
import { prepareContext } from './context-prepare.ts';
import { hasTooManyFiles, leaveOutFiles } from './leave-out-files.ts';

/** What runs before requests refused this one. */
export interface Blocked {
  readonly kind: 'blocked';
  readonly reason: string;
}

/**
 * Prepares the context, asks what runs before requests, and compacts the context if it is full, or if the window cut off the last answer. Returns the transcript including
 * everything that was recorded on the way.
 */
export async function prepareRequest(
  transcript: Transcript,
  focus: LoopFocus,
  run: LoopRun,
  reach: LoopReach,
): Promise<{ readonly sent: Transcript; readonly blocked?: Blocked }> {
  const { db } = reach;
  const context = await prepareContext(transcript, focus, run, db);
  // Before the context is compacted, so that a message that is added counts.
  const verdict = await judgeRequest(context, run, reach);
  if (verdict.kind === 'blocked') return { sent: context, blocked: verdict };
  const judged = { ...context, messages: [...context.messages, ...verdict.added] };
  const prepared = hasTooManyFiles(judged) ? ((await leaveOutFiles(judged, focus, db)) ?? judged) : judged;
  if (!wasCutByWindow(prepared)) return { sent: await compactUnderPressure(prepared, focus, run, db) };
  return { sent: (await compactAfterOverflow(prepared, focus, run, db)) ?? prepared };
}

async function judgeRequest(
  context: Transcript,
  { signal, time }: LoopRun,
  { beforeRequest }: LoopReach,
): Promise<BeforeRequestVerdict> {
  if (beforeRequest === undefined) return { kind: 'go', added: [] };
  return time.elsewhere(beforeRequest(context.turns.length + 1, () => renderMessages(context), signal));
}

/** False if a resumed focus finds that the summary for this answer was already made. */
function wasCutByWindow(transcript: Transcript): boolean {
  const newest = transcript.turns.at(-1);
  return newest?.stopReason === 'context_overflow' && newestFold(transcript)?.afterTurn !== newest.turn;
}
