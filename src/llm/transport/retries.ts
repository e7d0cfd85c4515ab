import type { Dispatcher } from 'undici';
import type { Clock } from '../../core/lifecycle/clock.ts';
import type { Timeouts } from '../client.ts';
import { type Fault, fault, isFault } from '../wire/fault.ts';
import type { KeyPauses } from './key-pauses.ts';
import type { Login, Sign } from './login.ts';
import { type RetryPolicy, retryDelayMs, withinPause } from './retry-policy.ts';

/** The address of a provider, its time-outs and its retry policy. */
export interface Endpoint {
  /** The provider's name in the configuration. */
  readonly provider: string;
  readonly baseUrl: URL;
  /** The key of the settings; null: none, or from a command. */
  readonly apiKey: string | null;
  readonly login: Login;
  /** Signs each request; undefined: the wire's headers carry the key. */
  readonly sign?: Sign;
  /** Calls with the same key are paused together. */
  readonly pauseKey: string;
  /** False: request an answer that is not streamed. */
  readonly stream: boolean;
  /** Extra headers, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeouts: Timeouts;
  readonly retry: RetryPolicy;
}

/** The state that all clients of a process share. */
export interface HttpShared {
  readonly dispatcher: Dispatcher;
  readonly pauses: KeyPauses;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/** A call that may take several attempts. */
export interface RetriedCall<Success> {
  readonly endpoint: Endpoint;
  readonly shared: HttpShared;
  readonly timeouts: Timeouts;
  readonly signal: AbortSignal;
  /** One HTTP exchange, with the rest of the total time. `number` counts from 1. */
  readonly attempt: (timeouts: Timeouts, number: number) => Promise<Success | Fault>;
  /** False once an event was emitted that the caller cannot discard, or something may have been paid for. Default: always true. */
  readonly mayStartOver?: (failed: Fault) => boolean;
}

/** The result of the call. */
export interface RetriedOutcome<Success> {
  readonly outcome: Success | Fault;
  readonly attempts: number;
}

/** Retries until an attempt succeeds, fails permanently, or the limits are reached. Waits while the key is paused, and pauses it for all calls. */
export async function withRetries<Success extends { readonly type: string }>(
  call: RetriedCall<Success>,
): Promise<RetriedOutcome<Success>> {
  const { endpoint, shared, signal } = call;
  const { clock, pauses } = shared;
  const key = endpoint.pauseKey;
  const { totalMs } = call.timeouts;
  const startedMs = clock.monotonicMs();
  const leftMs = () => (totalMs > 0 ? totalMs - (clock.monotonicMs() - startedMs) : Infinity);

  for (let attempts = 0; ; ) {
    const blocked = await waitForKey(key, call, leftMs);
    if (blocked) return { outcome: blocked, attempts };
    attempts += 1;
    const attempted = await call.attempt({ ...call.timeouts, totalMs: leftMs() }, attempts);
    if (!isFault(attempted)) return { outcome: attempted, attempts };
    const outcome = withinPause(attempted, endpoint.retry);
    if (outcome.kind === 'rate_limit' && outcome.retryAfterMs) pauses.pause(key, outcome.retryAfterMs);
    const waitMs = retryDelayMs(outcome, attempts, endpoint.retry, shared.random);
    const giveUp = waitMs === null || waitMs >= leftMs() || call.mayStartOver?.(outcome) === false;
    if (giveUp) return { outcome, attempts };
    await clock.sleep(waitMs, signal);
  }
}

/** Waits for the end of a pause of the key. A pause that is too long fails the call, with its length. */
async function waitForKey<Success>(
  key: string,
  { endpoint, shared, signal }: RetriedCall<Success>,
  leftMs: () => number,
): Promise<Fault | null> {
  for (;;) {
    if (signal.aborted) return fault('aborted', 'aborted');
    const pauseMs = shared.pauses.remainingMs(key);
    if (pauseMs <= 0) break;
    if (pauseMs > endpoint.retry.maxWaitMs || pauseMs >= leftMs()) {
      const message = `calls with this key are paused for another ${Math.ceil(pauseMs / 1000)} s, as the provider asked`;
      return fault('rate_limit', message, { retryAfterMs: Math.ceil(pauseMs) });
    }
    await shared.clock.sleep(pauseMs, signal);
  }
  return leftMs() > 0 ? null : fault('timeout', 'the call took longer than its total time-out');
}
