/** Limits of response bodies, against servers that never stop sending. */
import { type Fault, fault, QUOTED_CHARS } from '../wire/fault.ts';

/** For a stream. The longest answers of models have 128,000 to 384,000 tokens, in events of up to 350 bytes. */
export const MAX_STREAM_BYTES = 128 * 1024 * 1024;

/** For an answer that is not streamed, and for a batch of embeddings, which has a few megabytes. */
export const MAX_JSON_BYTES = 32 * 1024 * 1024;

/** How much of the body of an error is read: at least the characters that are quoted. */
export const MAX_ERROR_BYTES = 4 * (QUOTED_CHARS + 1);

/** How long reading the body of an error may take, in milliseconds: its status is enough. */
export const ERROR_BODY_MS = 10_000;

/** The fault of a body beyond its limit. It is not retried: the server would send as much again. */
export function tooLarge(what: string): Fault {
  return fault('protocol', `${what} is too large`, { retryable: false });
}
