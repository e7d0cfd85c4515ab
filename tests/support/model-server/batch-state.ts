/** The batches of a mock server, and what the routes of both batch APIs share. */
import { randomBytes } from 'node:crypto';
import { WIRE } from './either-wire.ts';
import type { Reply } from './server.ts';

export type Json = Record<string, unknown>;

/** A batch at the mock. */
export interface MockBatch {
  readonly id: string;
  readonly createdMs: number;
  readonly requests: readonly { readonly customId: string; readonly body: Json }[];
  readonly metadata: unknown;
  /** Results by custom id, once it has ended: a response, or how the request ended. */
  results: ReadonlyMap<string, MockResult> | null;
  cancelled: boolean;
  /** Why nothing of it is run (OpenAI). */
  failed: readonly { readonly line: number; readonly message: string }[] | null;
}

export type MockResult = { readonly status: number; readonly body: Json } | { readonly ended: 'expired' | 'cancelled' };

/** A moment of a call: `before` it has an effect, `after` it and before the response. */
export type BatchCall = 'create' | 'look' | 'list' | 'results' | 'cancel' | 'upload';
export type BatchHook = (call: BatchCall, moment: 'before' | 'after') => Reply | null;

/** What the routes of both APIs use. */
export interface MockState {
  readonly batches: MockBatch[];
  readonly files: Map<string, string>;
  hook: BatchHook;
  /** False: batches run until `finish`. */
  finishes: boolean;
  finish(batch: MockBatch): Promise<void>;
}

/** Adds a batch. */
export function newBatch(state: MockState, requests: MockBatch['requests'], metadata: unknown): MockBatch {
  const batch: MockBatch = {
    id: `${WIRE === 'anthropic' ? 'msgbatch' : 'batch'}_${randomBytes(6).toString('hex')}`,
    createdMs: Date.now(),
    requests,
    metadata,
    results: null,
    cancelled: false,
    failed: null,
  };
  state.batches.push(batch);
  return batch;
}

/** A response of JSON. */
export function json(value: unknown, status = 200): Reply {
  return { status, headers: { 'content-type': 'application/json' }, parts: [JSON.stringify(value)] };
}

/** A page of batches, newest first, after the one with that id. */
export function page(
  state: MockState,
  after: string | null,
  limit: number,
): { readonly data: MockBatch[]; readonly more: boolean } {
  const newest = state.batches.toReversed();
  const from = after === null ? 0 : newest.findIndex(({ id }) => id === after) + 1;
  return { data: newest.slice(from, from + limit), more: newest.length > from + limit };
}
