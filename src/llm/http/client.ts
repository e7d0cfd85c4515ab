import { createHash } from 'node:crypto';
import type { Dispatcher } from 'undici';
import type { Clock } from '../../core/clock.ts';
import type { CompleteOptions, LlmClient, LlmEvent, LlmRequest, LlmResult, Timeouts } from '../client.ts';
import { type Fault, fault, toFailure } from '../fault.ts';
import type { Answer, Wire } from '../wire.ts';
import { type AnswerReader, answerReader } from './answer-reader.ts';
import { authHeaders, endpointUrl, redirectFault } from './endpoint.ts';
import { exchange } from './exchange.ts';
import type { KeyPauses } from './key-pauses.ts';
import { type Mask, maskFor } from './mask.ts';
import { retryAfterMs } from './retry-after.ts';
import { type RetryPolicy, retryDelayMs } from './retry-policy.ts';
import { toJson } from './to-json.ts';

/** Where a provider is and how patient to be with it. */
export interface Endpoint {
  /** The provider's name in the configuration. */
  readonly provider: string;
  readonly baseUrl: URL;
  readonly apiKey: string | null;
  /** False asks for the answer in one piece. */
  readonly stream: boolean;
  /** Extra headers, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeouts: Timeouts;
  readonly retry: RetryPolicy;
}

/** What all clients of a process share. */
export interface HttpShared {
  readonly dispatcher: Dispatcher;
  readonly pauses: KeyPauses;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/** A client of any provider that is reached by HTTP, from its wire format. */
export function httpLlmClient(wire: Wire, endpoint: Endpoint, shared: HttpShared): LlmClient {
  const mask = maskFor(endpoint.apiKey, endpoint.baseUrl);
  return { complete: (request, options) => complete({ wire, endpoint, shared, mask, request, options }) };
}

/** The name under which calls pause together: the same key at the same place, whatever the provider is called. */
export function pauseKey(endpoint: Pick<Endpoint, 'apiKey' | 'baseUrl'>): string {
  const secret = `${endpoint.apiKey ?? ''}\0${endpoint.baseUrl.username}`;
  return `${endpoint.baseUrl.host}:${createHash('sha256').update(secret).digest('hex').slice(0, 16)}`;
}

interface Call {
  readonly wire: Wire;
  readonly endpoint: Endpoint;
  readonly shared: HttpShared;
  readonly mask: Mask;
  readonly request: LlmRequest;
  readonly options: CompleteOptions;
}

async function complete(call: Call): Promise<LlmResult> {
  const { endpoint, shared, request, options, mask } = call;
  const { clock, pauses } = shared;
  const startedMs = clock.monotonicMs();
  const timeouts = { ...endpoint.timeouts, ...options.timeouts };
  const key = pauseKey(endpoint);
  const body = toJson(call.wire.body(request, endpoint.stream));
  const progress = watchEvents(options, clock);
  let attempts = 0;
  const fail = (cause: Fault): LlmResult => ({
    ok: false,
    failure: toFailure(cause, { provider: endpoint.provider, model: request.model, attempts }, mask),
  });
  const leftMs = () => (timeouts.totalMs > 0 ? timeouts.totalMs - (clock.monotonicMs() - startedMs) : Infinity);

  for (;;) {
    const blocked = await waitForKey(pauses, key, endpoint.retry, leftMs, clock, options.signal);
    if (blocked) return fail(blocked);
    attempts += 1;
    if (attempts > 1) progress.restart();
    const outcome = await attempt(call, body, { ...timeouts, totalMs: leftMs() }, progress.emit);
    if (outcome.type === 'answer') {
      const { type: _, ...answer } = outcome;
      const durationMs = clock.monotonicMs() - startedMs;
      const timeToFirstTokenMs = progress.firstAtMs() === null ? null : (progress.firstAtMs() ?? 0) - startedMs;
      const response = { provider: endpoint.provider, ...answer, timeToFirstTokenMs, durationMs, attempts };
      return { ok: true, response: { ...response, fellBackFrom: [] } };
    }
    if (outcome.kind === 'rate_limit' && outcome.retryAfterMs) pauses.pause(key, outcome.retryAfterMs);
    const waitMs = retryDelayMs(outcome, attempts, endpoint.retry, shared.random);
    if (waitMs === null || waitMs >= leftMs() || !progress.mayStartOver()) return fail(outcome);
    await clock.sleep(waitMs, options.signal);
  }
}

/** One HTTP exchange. The events it emits are live; whether they stand is known only at its end. */
async function attempt(
  call: Call,
  body: string,
  timeouts: Timeouts,
  emit: (event: LlmEvent) => void,
): Promise<Answer | Fault> {
  const { wire, endpoint, request, shared, options } = call;
  const url = endpointUrl(endpoint.baseUrl, wire.path);
  const reader: AnswerReader = answerReader(wire.fold(request, emit), wire.classify);
  const headers = {
    'content-type': 'application/json',
    accept: endpoint.stream ? 'text/event-stream, application/json' : 'application/json',
    ...authHeaders(endpoint, wire, request),
  };
  const exchanged = await exchange(
    { dispatcher: shared.dispatcher, url, method: 'POST', headers, body, timeouts, signal: options.signal },
    reader,
  );
  if (exchanged.type === 'fault') return exchanged;
  const redirect = redirectFault(exchanged.status, exchanged.headers, url);
  const result = redirect ?? reader.result();
  if (result.type === 'answer') return result;
  const wanted = exchanged.headers['x-should-retry'];
  return {
    ...result,
    retryable: wanted === 'false' ? false : result.retryable,
    retryAfterMs: result.retryAfterMs ?? retryAfterMs(exchanged.headers, shared.clock.nowMs()),
    requestId: result.requestId ?? requestIdOf(exchanged.headers),
  };
}

/** Waits out a pause of the key, unless it is longer than a call should hang: then the caller is told how long it lasts. */
async function waitForKey(
  pauses: KeyPauses,
  key: string,
  retry: RetryPolicy,
  leftMs: () => number,
  clock: Clock,
  signal: AbortSignal,
): Promise<Fault | null> {
  for (;;) {
    if (signal.aborted) return fault('aborted', 'aborted');
    const pauseMs = pauses.remainingMs(key);
    if (pauseMs <= 0) break;
    if (pauseMs > retry.maxRetryAfterMs || pauseMs >= leftMs()) {
      const message = `calls with this key are paused for another ${Math.ceil(pauseMs / 1000)} s, as the provider asked`;
      return fault('rate_limit', message, { retryAfterMs: Math.ceil(pauseMs) });
    }
    await clock.sleep(pauseMs, signal);
  }
  return leftMs() > 0 ? null : fault('timeout', 'the call took longer than its total time-out');
}

/** Passes events on and remembers what the retry rule needs: when the first came, and whether any was seen by the caller. */
function watchEvents(options: CompleteOptions, clock: Clock) {
  let firstAtMs: number | null = null;
  let passedOn = false;
  return {
    emit(event: LlmEvent): void {
      firstAtMs ??= clock.monotonicMs();
      if (!options.onEvent) return;
      passedOn = true;
      options.onEvent(event);
    },
    restart(): void {
      firstAtMs = null;
      if (passedOn) options.onEvent?.({ type: 'restart' });
      passedOn = false;
    },
    mayStartOver: () => !passedOn || options.canDiscard === true,
    firstAtMs: () => firstAtMs,
  };
}

function requestIdOf(headers: Readonly<Record<string, string | string[] | undefined>>): string | null {
  const id = headers['request-id'] ?? headers['x-request-id'];
  return typeof id === 'string' ? id.slice(0, 200) : null;
}
