/** What the steps of a pass over the batches of a provider share. */
import type { BatchHttp } from '../../llm/batch/batch-http.ts';
import type { ProviderBatches } from '../../llm/llm.ts';
import type { Database } from '../../store/sql/database.ts';
import type { Log } from '../../telemetry/log.ts';

export interface BatchPass {
  readonly db: Database;
  readonly log: Log;
  readonly provider: string;
  readonly batches: ProviderBatches;
  readonly submitTimeoutMs: number;
  /** Ids of batches at the provider that are not ours, kept from pass to pass. */
  readonly dismissed: Set<string>;
  /** Aborted a while after the daemon's stop. */
  readonly cut: AbortSignal;
  /** Extends this daemon's time as the poller for a call of so many milliseconds, and returns its token. Errors: `work.lease_lost`. */
  hold(forMs: number): Promise<string>;
}

/** Small calls, and the download of results. */
const CALL_MS = 120_000;
const RESULTS_MS = 900_000;

/** Holds the poller for a small call, and opens the calls. */
export async function heldCalls(pass: BatchPass): Promise<{ readonly token: string; readonly http: BatchHttp }> {
  return { token: await pass.hold(CALL_MS), http: pass.batches.http(pass.cut, CALL_MS) };
}

/** The same for results. */
export async function heldDownload(pass: BatchPass): Promise<BatchHttp> {
  await pass.hold(RESULTS_MS);
  return pass.batches.http(pass.cut, RESULTS_MS);
}
