/** What the steps of a pass over the batches of a provider share. */
import type { BatchHttp } from '../../llm/batch/batch-http.ts';
import type { ProviderBatches } from '../../llm/llm.ts';
import type { Database } from '../../store/sql/database.ts';
import type { Log } from '../../telemetry/log.ts';

/** The most requests of a batch, far below the limits of the providers. */
export const MAX_REQUESTS = 1000;

export interface BatchPass {
  readonly db: Database;
  readonly log: Log;
  readonly provider: string;
  readonly batches: ProviderBatches;
  readonly submitTimeoutMs: number;
  /** The most requests of the next batch; kept from pass to pass. It is halved to find a request that the provider refuses. */
  readonly size: { requests: number };
  /** Ids of batches at the provider that are not ours, kept from pass to pass. */
  readonly dismissed: Set<string>;
  /** Aborted a while after the daemon's stop. */
  readonly cut: AbortSignal;
  /** Extends this daemon's time as the poller, and returns its token. Errors: `work.lease_lost`. */
  hold(): Promise<string>;
}

const CALL_MS = 120_000;
/** The results of a batch may be hundreds of megabytes. */
const RESULTS_MS = 900_000;

export function smallCalls({ batches, cut }: BatchPass): BatchHttp {
  return batches.http(cut, CALL_MS);
}

export function downloads({ batches, cut }: BatchPass): BatchHttp {
  return batches.http(cut, RESULTS_MS);
}
