import type { Dispatcher } from 'undici';
import type { Clock } from '../../core/lifecycle/clock.ts';
import type { Timeouts } from '../client.ts';
import { failureCost, MAX_LOST, type Transport } from '../failure-costs.ts';
import { type Fault, fault, isFault } from '../wire/fault.ts';
import type { KeyPauses } from './key-pauses.ts';
import type { Login, Sign } from './login.ts';
import { pauseAfterLost, type RetryPolicy, retryDelayMs, withinPause } from './retry-policy.ts';

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
  /** By which it is known what a failed attempt costs; null: nothing, whatever becomes of it. */
  readonly transport: Transport | null;
  /** True: nothing is sent after an attempt that may have cost something. Default false. */
  readonly payOnce?: boolean;
  /** False once an event was emitted that the caller cannot discard. Default: always true. */
  readonly mayStartOver?: () => boolean;
}

/** The result of the call. */
export interface RetriedOutcome<Success> {
  readonly outcome: Success | Fault;
  readonly attempts: number;
  /** How many attempts may have cost something and returned nothing. */
  readonly lost: number;
}

/**
 * Retries until an attempt succeeds, fails permanently, or the limits are reached. Waits while the key is paused, and pauses it for all calls: as long as
 * the provider asks for, and after three lost requests in a row.
 */
export async function withRetries<Success extends { readonly type: string }>(
  call: RetriedCall<Success>,
): Promise<RetriedOutcome<Success>> {
  const { endpoint, shared, signal } = call;
  const { clock, pauses } = shared;
  const key = endpoint.pauseKey;
  const { totalMs } = call.timeouts;
  const startedMs = clock.monotonicMs();
  const leftMs = () => (totalMs > 0 ? totalMs - (clock.monotonicMs() - startedMs) : Infinity);

  for (let attempts = 0, lost = 0; ; ) {
    const blocked = await waitForKey(key, call, leftMs);
    if (blocked) return { outcome: blocked, attempts, lost };
    attempts += 1;
    const sentMs = clock.monotonicMs();
    const attempted = await call.attempt({ ...call.timeouts, totalMs: leftMs() }, attempts);
    if (!isFault(attempted)) {
      // A list of models, or a look at a batch, shows nothing about answers.
      if (call.transport !== null) pauses.answered(key);
      return { outcome: attempted, attempts, lost };
    }
    const isLost = call.transport !== null && failureCost(attempted.way, call.transport) === 'lost';
    if (isLost) lost += 1;
    const outcome = pausing(withinPause(attempted, endpoint.retry), isLost, sentMs, call);
    const waitMs = retryDelayMs(outcome, attempts, endpoint.retry, shared.random);
    const isPaid = isLost && (call.payOnce === true || lost >= MAX_LOST);
    if (waitMs === null || waitMs >= leftMs() || isPaid || call.mayStartOver?.() === false)
      return { outcome, attempts, lost };
    await clock.sleep(waitMs, signal);
  }
}

/** Pauses the key, if the provider asks for that or loses requests; the fault with the pause. */
function pausing<Success>(
  failed: Fault,
  isLost: boolean,
  sentMs: number,
  { endpoint, shared: { pauses } }: RetriedCall<Success>,
): Fault {
  const { pauseKey, retry } = endpoint;
  if (failed.kind === 'rate_limit' && failed.retryAfterMs)
    pauses.pause(pauseKey, failed.retryAfterMs, 'as the provider asked');
  // What was stopped by us says nothing about the provider.
  if (!isLost || failed.kind === 'aborted') return failed;
  const inARow = pauses.lost(pauseKey, sentMs);
  const pauseMs = pauseAfterLost(inARow, retry);
  if (pauseMs === 0) return failed;
  const why = `after ${inARow} lost requests in a row`;
  pauses.pause(pauseKey, pauseMs, why);
  const message = `${failed.message}; calls with this key are paused for ${Math.ceil(pauseMs / 1000)} s, ${why}`;
  return { ...failed, message, retryAfterMs: Math.max(failed.retryAfterMs ?? 0, pauseMs) };
}

/** Waits for the end of a pause of the key. A pause that is too long fails the call, with its length. */
async function waitForKey<Success>(
  key: string,
  { endpoint, shared, signal }: RetriedCall<Success>,
  leftMs: () => number,
): Promise<Fault | null> {
  for (;;) {
    if (signal.aborted) return fault('aborted', 'aborted', { way: 'unsent' });
    const pause = shared.pauses.current(key);
    if (pause === null) break;
    const { ms, why } = pause;
    if (ms > endpoint.retry.maxWaitMs || ms >= leftMs()) {
      const message = `calls with this key are paused for another ${Math.ceil(ms / 1000)} s, ${why}`;
      return fault('rate_limit', message, { retryAfterMs: Math.ceil(ms), way: 'unsent' });
    }
    await shared.clock.sleep(ms, signal);
  }
  return leftMs() > 0 ? null : fault('timeout', 'the call took longer than its total time-out', { way: 'unsent' });
}
