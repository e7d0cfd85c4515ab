/** A turn that is asked in a batch: put into the outbox, and recorded when its answer is there (docs/batch.md). */

import type { ReadAnswer } from '../../llm/batch/batch-format.ts';
import type { LlmFailure, LlmRequest, LlmResponse } from '../../llm/client.ts';
import type { Database } from '../../store/sql/database.ts';
import { closeRequest, putTurn, readRequestUnderWay } from '../../store/transcript/batch-requests.ts';
import type { FocusKey } from '../../store/transcript/focus-row.ts';
import { withinLease } from '../calls/within-lease.ts';
import type { OpenTurn } from './begin-turn.ts';
import type { FocusBatch } from './focus-model.ts';
import type { LoopRun } from './loop-state.ts';

/** `answered`: `requestId` must be closed in the transaction that records the turn. `put`: asked now; `parked`: asked before. */
export type BatchTurn =
  | { readonly kind: 'answered'; readonly response: LlmResponse; readonly requestId: string }
  | { readonly kind: 'failed'; readonly failure: LlmFailure }
  | { readonly kind: 'put' | 'parked' };

/**
 * Takes the answer to a begun turn's request, or puts the request if none is under way. An answer that is an error, or that says that
 * the request was not run, is closed before the turn is asked again, so that it counts once.
 */
export async function askInBatch(
  turn: OpenTurn,
  request: LlmRequest,
  batch: FocusBatch,
  focus: FocusKey,
  run: LoopRun,
  db: Database,
): Promise<BatchTurn> {
  const { signal } = run;
  const { format, place } = batch;
  const underWay = await withinLease(() => readRequestUnderWay(db, focus, turn.number), signal);
  if (underWay === null || underWay.answer === null) {
    // The wait of a request under way may have been resolved by somebody else: it is opened again.
    const written = { provider: format.provider, place, ...format.write(request), reserved_usd: turn.reservation.usd };
    await withinLease(() => putTurn(db, focus, turn.number, written), signal);
    return { kind: underWay === null ? 'put' : 'parked' };
  }
  const read: ReadAnswer = format.read(request, underWay.answer);
  if (read.kind === 'answered') return { ...read, requestId: underWay.id };
  const lost = read.kind === 'failed' ? read.failure.lost : 0;
  await withinLease(() => closeRequest(db, focus, underWay.id, lost === 0 ? 'free' : 'failed'), signal);
  return read.kind === 'failed' ? read : askInBatch(turn, request, batch, focus, run, db);
}
