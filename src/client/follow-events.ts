/** Follows a stream of events over any number of connections. */
import { ApiError } from './api-error.ts';
import type { EventOptions } from './options.ts';
import { readEvents, type StreamedEvent } from './read-events.ts';
import { isTransient } from './send.ts';
import { backOffMs, sleep } from './sleep.ts';

/** Opens one connection that goes on after an event; null: where the caller wants to begin. */
export type Connect = (last: string | null, signal: AbortSignal) => Promise<Connected>;

interface Connected {
  readonly response: Response;
  /** Makes the next connection one to another address, if there is one. */
  leave(): void;
}

export const USUAL_PATIENCE_MS = 300_000;
/** The shortest and the longest wait that a server can ask for before the next connection. */
const MIN_RETRY_MS = 1;
const MAX_RETRY_MS = 60_000;
/** A connection that lasted longer did not fail at once. */
export const LASTED_MS = 10_000;
/** Three heartbeats. */
export const USUAL_SILENCE_MS = 45_000;

/**
 * Yields all events after `options.after`, each recorded one once and in order. When the connection ends, breaks or is silent, it goes on
 * after the last recorded event, until the server says with 204 that there will be no more. What is not recorded (hints) may be missing or be
 * repeated then. Errors: `ApiError` for what is not transient, and when the server was not reached for `patienceMs`; the signal's reason.
 */
export async function* followEvents<Event extends StreamedEvent>(
  connect: Connect,
  { signal, patienceMs = USUAL_PATIENCE_MS, silenceMs = USUAL_SILENCE_MS }: EventOptions,
): AsyncGenerator<Event, void> {
  let last: string | null = null;
  // Monotonic: setting the clock must not end its patience.
  let heardAtMs = performance.now();
  let retryMs = 1000;
  for (let failures = 0; ; ) {
    signal?.throwIfAborted();
    const cut = new AbortController();
    const from: string | null = last;
    const begunMs = performance.now();
    let failure: ApiError | null = null;
    let connected: Connected | null = null;
    try {
      connected = await connect(last, signal ? AbortSignal.any([signal, cut.signal]) : cut.signal);
      const { response } = connected;
      if (response.status === 204) return;
      const onLife = () => (heardAtMs = performance.now());
      for await (const event of readEvents<Event>(response, {
        cut,
        silenceMs,
        onLife,
        onRetry: (ms) => (retryMs = Math.min(Math.max(ms, MIN_RETRY_MS), MAX_RETRY_MS)),
      })) {
        last = event.id ?? last;
        yield event;
        // The caller's time is not the server's.
        onLife();
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (!isTransient(error)) throw error;
      failure = error;
      connected?.leave();
    } finally {
      cut.abort();
    }
    // A server that ended the stream after an event has no trouble. Otherwise it gets time to recover.
    if (failure === null && last !== from) {
      failures = 0;
      continue;
    }
    if (last !== from || performance.now() - begunMs > LASTED_MS) failures = 0;
    const waitMs = Math.max(backOffMs(failures++, retryMs), failure?.retryAfterMs ?? 0);
    if (performance.now() - heardAtMs + waitMs > patienceMs) {
      throw failure ?? new ApiError('client.unreachable', 'the server ends the stream each time', { retryable: true });
    }
    await sleep(waitMs, signal);
  }
}
