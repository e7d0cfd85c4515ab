/** The batch API of a provider: how a batch is submitted, found, looked at, read and cancelled (docs/batch.md). */
import { type Fault, fault } from '../wire/fault.ts';
import type { BatchHttp } from './batch-http.ts';

/** A batch to submit: requests of one path, model and set of headers. */
export interface OutgoingBatch {
  /** Ours, a UUID. */
  readonly id: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** `id` is the custom id, unique at the provider; `body` is JSON. */
  readonly requests: readonly { readonly id: string; readonly body: string }[];
}

/** A batch whose submit was not confirmed. */
export interface UnclearBatch {
  readonly id: string;
  /** With how many requests it was sent. */
  readonly requests: number;
  /** Fewer where work items were deleted since. */
  readonly requestIds: readonly string[];
  /** Batches created before this time are not ours. */
  readonly sinceMs: number;
  /** Of the given ids of batches at the provider, those that are known as another batch of ours. */
  known(ids: readonly string[]): Promise<readonly string[]>;
  /** Ids of batches that turned out to be another's; filled here, so that their results are read once. */
  readonly dismissed: Set<string>;
}

/** `refused`: the provider certainly does not have it. `unclear`: it may have it. */
export type Submission =
  | { readonly kind: 'submitted'; readonly providerId: string }
  | { readonly kind: 'unclear'; readonly fault: Fault }
  /** `ofRequests`: it may be one of the requests that it refused, and not the file or the account. */
  | { readonly kind: 'refused'; readonly fault: Fault; readonly ofRequests: boolean };

/** `absent`: it is certain that the provider does not have it. `undecided`: so many batches may be ours and have not ended. */
export type Finding =
  | { readonly kind: 'found'; readonly providerId: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'undecided'; readonly candidates: number }
  | { readonly kind: 'failed'; readonly fault: Fault };

/** `answered`: how many requests have an answer that is paid for. `problem`: why the provider ran nothing of it. */
export type BatchLook =
  | { readonly kind: 'running' }
  | {
      readonly kind: 'ended';
      readonly files: readonly string[];
      readonly answered: number;
      readonly problem: string | null;
      readonly lines: readonly LineFault[];
    }
  | { readonly kind: 'failed'; readonly fault: Fault };

/** A line (from 1) of the batch that the provider refused. */
export interface LineFault {
  readonly line: number;
  readonly answer: BatchAnswer;
}

/**
 * The reply of a provider to a request: a response of its API, or how the request ended without one. `missing`: the results do not have
 * it. `not_run`: the whole batch was refused.
 */
export type BatchAnswer =
  | { readonly status: number; readonly body: unknown }
  | { readonly ended: 'expired' | 'cancelled' | 'missing' | 'not_run' };

/** Read as an answer that breaks the wire format. */
export const NOT_AN_ANSWER: BatchAnswer = { status: 200, body: null };

/** Pages of a list that are read to find a batch; far more than a provider has batches of an hour. */
export const MAX_PAGES = 200;
export const ENDLESS_LIST = fault('protocol', `the list of batches has more than ${MAX_PAGES} pages`);

/** One implementation per kind of provider. No call rejects because of the provider or the network. */
export interface BatchApi {
  /** Sends it once, without retries: what comes back decides whether it may be sent again. */
  submit(batch: OutgoingBatch, http: BatchHttp): Promise<Submission>;
  /** Looks for a batch whose submit was not confirmed. */
  find(batch: UnclearBatch, http: BatchHttp): Promise<Finding>;
  look(providerId: string, http: BatchHttp): Promise<BatchLook>;
  /** Reads the results of one file of an ended batch. */
  results(file: string, take: (requestId: string, answer: BatchAnswer) => void, http: BatchHttp): Promise<Fault | null>;
  /** Null when the provider has accepted it. */
  cancel(providerId: string, http: BatchHttp): Promise<Fault | null>;
}
