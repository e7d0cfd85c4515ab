/** Submits a batch that is marked in the database, and finds one whose submit was not confirmed (docs/batch.md). */
import type { Lease } from '../../core/lifecycle/lease.ts';
import type { Submission } from '../../llm/batch/batch-api.ts';
import { count } from '../../telemetry/metrics.ts';
import { type BatchPass, downloads, MAX_REQUESTS, smallCalls, whileSure } from './batch-pass.ts';
import {
  answerRequest,
  type Batch,
  batchRequests,
  confirmBatch,
  knownProviderIds,
  noteBatch,
  returnBatch,
} from './store.ts';

/** Requests that a provider refused are ready again after so long, if it did not say how long to wait. */
const REFUSED_SECONDS = 60;
/** A batch at the provider may be older than our mark by so much: the clocks of provider and database differ. */
const CLOCK_SKEW_MS = 15 * 60_000;

type Refusal = Extract<Submission, { readonly kind: 'refused' }>;

/**
 * Sends the batch once. False if the provider did not take it: then no other is sent for a while. `lease`: the time for sending it; another daemon looks
 * for it when twice that time is over. Rejects with `work.lease_lost` if it is over before it was sent.
 */
export async function submitBatch(
  batch: Batch,
  token: string,
  { signal, lease }: { readonly signal: AbortSignal; readonly lease: Lease },
  pass: BatchPass,
): Promise<boolean> {
  const { db, log, provider } = pass;
  const requests = (await batchRequests(db, batch.id)).map(({ id, body }) => ({ id, body: body ?? '' }));
  const { id, path, headers } = batch;
  const http = whileSure(pass.batches.http(signal, pass.submitTimeoutMs, batch.model), lease);
  const submission = await pass.batches.api.submit({ id, path, headers, requests }, http);
  const fields = { provider, batch: id, requests: requests.length };
  count('work.batch.requests', requests.length, { provider, result: submission.kind });
  switch (submission.kind) {
    case 'submitted':
      pass.size.requests = Math.min(MAX_REQUESTS, 2 * pass.size.requests);
      await confirm(batch, submission.providerId, pass);
      return true;
    case 'refused':
      await refuse(batch, token, submission, pass);
      log.warn({ ...fields, error: submission.fault.message }, 'the provider refused a batch; nothing of it was run');
      return false;
    case 'unclear':
      await noteBatch(
        db,
        { id, token },
        { problem: `it is unclear whether it was accepted: ${submission.fault.message}` },
      );
      log.warn(
        { ...fields, error: submission.fault.message },
        'it is unclear whether the provider accepted a batch; it will be looked for before it is sent again',
      );
      return false;
    default:
      return submission satisfies never;
  }
}

/** Looks for the batch at the provider: goes on with it, returns its requests to the outbox, or waits. */
export async function findBatch(batch: Batch, pass: BatchPass): Promise<void> {
  const { db, log, place, provider, dismissed } = pass;
  const requestIds = (await batchRequests(db, batch.id)).map(({ id }) => id);
  const finding = await pass.batches.api.find(
    {
      id: batch.id,
      requests: batch.requests,
      requestIds,
      sinceMs: batch.createdAt.getTime() - CLOCK_SKEW_MS,
      known: (ids) => knownProviderIds(db, place, ids),
      dismissed,
    },
    // It may read the results of others.
    downloads(pass),
  );
  const token = await pass.hold();
  const fields = { provider, batch: batch.id, requests: requestIds.length };
  switch (finding.kind) {
    case 'found':
      log.info({ ...fields, provider_id: finding.providerId }, 'found a batch whose submit was not confirmed');
      return confirm(batch, finding.providerId, pass);
    case 'absent':
      log.info(
        fields,
        'the provider does not have a batch whose submit was not confirmed; its requests are sent again',
      );
      return returnBatch(
        db,
        { id: batch.id, token },
        { endedAs: 'lost', problem: 'the provider did not accept it', delaySeconds: 0 },
      );
    case 'undecided': {
      const problem = `its submit was not confirmed; it may be one of ${finding.candidates} batches at the provider, whose results must be awaited`;
      return noteBatch(db, { id: batch.id, token }, { problem });
    }
    case 'failed':
      log.warn({ ...fields, error: finding.fault.message }, 'cannot look for a batch at the provider; trying again');
      return noteBatch(db, { id: batch.id, token }, { problem: finding.fault.message });
    default:
      return finding satisfies never;
  }
}

async function confirm(batch: Batch, providerId: string, pass: BatchPass): Promise<void> {
  const { db, log, provider } = pass;
  const fields = { provider, batch: batch.id, provider_id: providerId, requests: batch.requests };
  if (await confirmBatch(db, batch.id, providerId)) {
    log.info(fields, 'the provider has accepted a batch');
    return;
  }
  log.error(
    fields,
    'a batch arrived at the provider after it was given up, and its requests may be bought twice; cancelling it',
  );
  await pass.batches.api.cancel(providerId, smallCalls(pass));
}

/**
 * A request that is at fault would be refused again. If it is alone, its focus gets the provider's words; otherwise all go back to the
 * outbox, and the next batches are half as large until it is alone.
 */
async function refuse(batch: Batch, token: string, refusal: Refusal, { db, size }: BatchPass): Promise<void> {
  const { fault, ofRequests } = refusal;
  if (ofRequests && batch.requests > 1) size.requests = Math.max(1, Math.floor(batch.requests / 2));
  if (ofRequests && batch.requests === 1) {
    const body = { type: 'error', error: { type: 'invalid_request_error', message: fault.message } };
    const answer = JSON.stringify({ status: fault.httpStatus ?? 400, body });
    for (const { id } of await batchRequests(db, batch.id)) await answerRequest(db, id, answer);
  }
  const delaySeconds = fault.retryAfterMs === null ? REFUSED_SECONDS : Math.min(3600, fault.retryAfterMs / 1000);
  await returnBatch(db, { id: batch.id, token }, { endedAs: 'refused', problem: fault.message, delaySeconds });
}
