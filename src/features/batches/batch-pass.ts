/** What the steps of a pass over the batches at a place share. */
import { type Lease, whileHeld } from '../../core/lifecycle/lease.ts';
import type { BatchHttp } from '../../llm/batch/batch-http.ts';
import type { ProviderBatches } from '../../llm/llm.ts';
import type { Database } from '../../store/sql/database.ts';
import type { Log } from '../../telemetry/log.ts';

/** The most requests of a batch, far below the limits of the providers. */
export const MAX_REQUESTS = 1000;

export interface BatchPass {
  readonly db: Database;
  readonly log: Log;
  /** Where the batches are, whatever the name of the provider (`animus.batches`). */
  readonly place: string;
  /** The name of the provider now. */
  readonly provider: string;
  readonly batches: ProviderBatches;
  readonly submitTimeoutMs: number;
  /** The most requests of the next batch; kept from pass to pass. It is halved to find a request that the provider refuses. */
  readonly size: { requests: number };
  /** Ids of batches at the provider that are not ours, kept from pass to pass. */
  readonly dismissed: Set<string>;
  /** Aborted a while after the daemon's stop. */
  readonly cut: AbortSignal;
  /** Of this daemon as the poller. */
  readonly lease: Lease;
  /** Extends this daemon's time as the poller, and returns its token. Errors: `work.lease_lost`. */
  hold(): Promise<string>;
}

const CALL_MS = 120_000;
/** The results of a batch may be hundreds of megabytes. */
const RESULTS_MS = 900_000;

export function smallCalls({ batches, cut, lease }: BatchPass): BatchHttp {
  return whileSure(batches.http(cut, CALL_MS), lease);
}

export function downloads({ batches, cut, lease }: BatchPass): BatchHttp {
  return whileSure(batches.http(cut, RESULTS_MS), lease);
}

/** Calls that are not sent unless the lease holds. They reject with `work.lease_lost`. */
export function whileSure(http: BatchHttp, lease: Lease): BatchHttp {
  return {
    json: (call) => whileHeld(lease, () => http.json(call)),
    lines: (path, take) => whileHeld(lease, () => http.lines(path, take)),
  };
}
