/** What a request costs that brought no whole answer: the one table for every transport. docs/models.md shows it, and a test walks it. */
import { FAILURE_KINDS, type FailureKind } from './client.ts';

/** `lost`: the provider may charge for it, so it counts with the most that it can cost. */
export type FailureCost = 'nothing' | 'lost';

/** How many requests of a call may be lost, and how many in a row, of those with a key, before it is paused. */
export const MAX_LOST = 3;

/** How requests are sent. `script`: a file is played in place of a model. */
export type Transport = 'http' | 'embeddings' | 'batch' | 'script';

/** How a request failed. */
export type Way =
  /** It never reached the provider: no credential, a pause of the key, no connection, stopped before it was sent. */
  | 'unsent'
  /** The response has a status other than 2xx, except those of `gateway`. */
  | 'refused'
  /** A status by which a gateway says that it has lost the answer of the provider. */
  | 'gateway'
  /** Status 2xx with a refusal in place of an answer. */
  | 'refused_inside'
  /** Status 2xx with any other error, or one after the answer had begun, or something that cannot be read. */
  | 'broke_inside'
  /** It was sent, and cut off, stopped, or left without an answer for too long. */
  | 'unanswered'
  /** A provider says that it did not run a request of a batch: it expired, was cancelled, or the batch was refused. */
  | 'not_run';

/** Null: it cannot happen. */
export const FAILURE_COSTS: Readonly<Record<Way, Readonly<Record<Transport, FailureCost | null>>>> = {
  unsent: { http: 'nothing', embeddings: 'nothing', batch: 'nothing', script: 'nothing' },
  refused: { http: 'nothing', embeddings: 'nothing', batch: 'nothing', script: 'nothing' },
  // Of a batch, providers charge for answers only.
  gateway: { http: 'lost', embeddings: 'lost', batch: 'nothing', script: null },
  refused_inside: { http: 'nothing', embeddings: 'nothing', batch: 'nothing', script: null },
  broke_inside: { http: 'lost', embeddings: 'lost', batch: 'lost', script: null },
  // A submit without a response is looked for at the provider, and its requests are not sent again before it is certain that they are not there.
  unanswered: { http: 'lost', embeddings: 'lost', batch: 'nothing', script: 'lost' },
  not_run: { http: null, embeddings: null, batch: 'nothing', script: null },
};

/** What a request has cost that failed in this way. */
export function failureCost(way: Way, transport: Transport): FailureCost {
  // If the impossible happens, it counts as lost.
  return FAILURE_COSTS[way][transport] ?? 'lost';
}

/** Statuses of servers that wait for another server, and have lost its answer, which may have been complete; 408 is sent when a model takes too long. */
export const GATEWAY_STATUSES: ReadonlySet<number> = new Set([408, 502, 504, 520, 524]);

/** The way of a failure for which a response came. `began`: a part of an answer was in it. */
export function wayOfResponse(status: number, kind: FailureKind, began: boolean): Way {
  if (status < 200 || status > 299) return GATEWAY_STATUSES.has(status) ? 'gateway' : 'refused';
  return !began && FAILURE_KINDS[kind].refusal ? 'refused_inside' : 'broke_inside';
}

/** The way of a failure that a script plays: an overloaded provider refuses with a status, as it does with the other kinds that are refusals. */
export function wayOfScript(kind: FailureKind): Way {
  return FAILURE_KINDS[kind].refusal || kind === 'overloaded' ? 'refused' : 'unanswered';
}
