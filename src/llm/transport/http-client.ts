import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../core/lifecycle/clock.ts';
import { remembered } from '../../core/text/remembered.ts';
import type { CompleteOptions, LlmClient, LlmEvent, LlmRequest, LlmResult, Timeouts } from '../client.ts';
import { wayOfResponse } from '../failure-costs.ts';
import { countedUsage } from '../wire/counted-usage.ts';
import { type Fault, isFault, toFailure } from '../wire/fault.ts';
import { recordable } from '../wire/recordable.ts';
import type { Answer, Wire } from '../wire/wire.ts';
import { answerReader } from './answer-reader.ts';
import { authHeaders, endpointUrl } from './endpoint.ts';
import { exchange } from './exchange.ts';
import { type Credential, loggedIn, maskOf } from './login.ts';
import type { Mask } from './mask.ts';
import { createPreparedBodies, type PreparedBodies } from './prepared-bodies.ts';
import { faultWithHeaders, redirectFault } from './response-faults.ts';
import { type Endpoint, type HttpShared, withRetries } from './retries.ts';
import { toJson } from './to-json.ts';

/** Creates the client of an HTTP provider from its wire format. */
export function httpLlmClient(wire: Wire, endpoint: Endpoint, shared: HttpShared): LlmClient {
  const mask = maskOf(endpoint);
  const urlOf = remembered((path) => endpointUrl(endpoint.baseUrl, path));
  const bodies = createPreparedBodies((request) => toJson(wire.body(request, endpoint.stream)));
  return {
    prepare: (request) => bodies.prepare(request),
    complete(request, options) {
      const url = urlOf(wire.path(request.model, endpoint.stream));
      return complete({ wire, endpoint, shared, mask, bodies, url, request, options });
    },
  };
}

interface Call {
  readonly wire: Wire;
  readonly endpoint: Endpoint;
  readonly shared: HttpShared;
  readonly mask: Mask;
  readonly bodies: PreparedBodies;
  readonly url: URL;
  readonly request: LlmRequest;
  readonly options: CompleteOptions;
}

async function complete(call: Call): Promise<LlmResult> {
  const { bodies, endpoint, shared, request, options, mask } = call;
  const { clock } = shared;
  const startedMs = clock.monotonicMs();
  const body = bodies.take(request);
  const progress = watchEvents(options, clock);
  const { outcome, attempts, lost } = await withRetries<Answer>({
    endpoint,
    shared,
    signal: options.signal,
    timeouts: { ...endpoint.timeouts, ...options.timeouts },
    transport: 'http',
    payOnce: options.payOnce ?? false,
    mayStartOver: progress.mayStartOver,
    attempt: (timeouts, number) => {
      if (number > 1) progress.restart();
      return loggedIn(endpoint.login, options.signal, (credential) =>
        attempt(call, { body, credential }, timeouts, progress.emit),
      );
    },
  });
  const { provider } = endpoint;
  if (outcome.type === 'fault') {
    return { ok: false, failure: toFailure(outcome, { provider, model: request.model, attempts, lost }, mask) };
  }
  const answer = recordable(outcome, mask);
  const durationMs = clock.monotonicMs() - startedMs;
  // The estimate of a long answer is as long as its reading, which took this turn.
  if (answer.usage === null || answer.usage.output === 0) await nextTurn();
  const firstAtMs = progress.firstAtMs();
  const timeToFirstTokenMs = firstAtMs === null ? null : firstAtMs - startedMs;
  return {
    ok: true,
    response: {
      provider,
      ...answer,
      usage: countedUsage(answer, request),
      timeToFirstTokenMs,
      durationMs,
      attempts,
      lost,
      fellBackFrom: [],
    },
  };
}

/** One HTTP exchange. It emits events live; they are only valid if the exchange succeeds. */
async function attempt(
  { wire, endpoint, request, shared, options, url }: Call,
  { body, credential }: { readonly body: string; readonly credential: Credential },
  timeouts: Timeouts,
  emit: (event: LlmEvent) => void,
): Promise<Answer | Fault> {
  let began = false;
  const told = (event: LlmEvent): void => {
    began = true;
    emit(event);
  };
  const reader = answerReader(wire.fold(request, told), wire.classify, wire.framing?.() ?? null);
  const plain = {
    'content-type': 'application/json',
    'accept-encoding': 'identity',
    accept: endpoint.stream ? 'text/event-stream, application/json' : 'application/json',
    ...authHeaders({ ...endpoint, apiKey: credential.key }, wire.headers(credential.key, request)),
  };
  const headers = (await endpoint.sign?.({ method: 'POST', url, headers: plain, body }, credential)) ?? plain;
  if (isFault(headers)) return { ...headers, way: 'unsent' };
  const { signal } = options;
  await options.beforeSend?.();
  const exchanged = await exchange(
    { dispatcher: shared.dispatcher, url, method: 'POST', headers, body, timeouts, signal },
    reader,
  );
  if (exchanged.type === 'fault') return exchanged;
  // Its last piece took this turn.
  if (reader.isLong()) await nextTurn();
  const result = redirectFault(exchanged.status, exchanged.headers, url) ?? reader.result();
  if (result.type !== 'fault') return result;
  const failed = faultWithHeaders(result, exchanged.headers, shared.clock.nowMs());
  return { ...failed, way: wayOfResponse(exchanged.status, failed.kind, began) };
}

/** Forwards events and records for the retry rule when the first came, and whether the caller got any. */
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
