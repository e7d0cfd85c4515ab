import { setImmediate as nextTurn } from 'node:timers/promises';
import { remembered } from '../../core/text/remembered.ts';
import type { CompleteOptions, LlmClient, LlmEvent, LlmRequest } from '../client.ts';
import { countedUsage } from '../wire/counted-usage.ts';
import { toFailure } from '../wire/fault.ts';
import { recordable } from '../wire/recordable.ts';
import type { Answer, Wire } from '../wire/wire.ts';
import { answerReader } from './answer-reader.ts';
import { endpointUrl } from './endpoint.ts';
import { loggedIn, maskOf } from './login.ts';
import { passEvents } from './pass-events.ts';
import { createPreparedBodies } from './prepared-bodies.ts';
import { type Endpoint, type HttpShared, withRetries } from './retries.ts';
import { type ProviderRequest, type ResponseReader, sendRequest } from './send-request.ts';
import { toJson } from './to-json.ts';

/** Creates the client of an HTTP provider from its wire format. */
export function httpLlmClient(wire: Wire, endpoint: Endpoint, shared: HttpShared): LlmClient {
  const { provider, stream } = endpoint;
  const { clock } = shared;
  const mask = maskOf(endpoint);
  const urlOf = remembered((path) => endpointUrl(endpoint.baseUrl, path));
  const bodies = createPreparedBodies((request) => toJson(wire.body(request, stream)));

  function requestOf(request: LlmRequest, { signal, beforeSend }: CompleteOptions): ProviderRequest {
    return {
      endpoint,
      shared,
      url: urlOf(wire.path(request.model, stream)),
      headers: (key) => wire.headers(key, request),
      accept: stream ? 'text/event-stream, application/json' : 'application/json',
      body: bodies.take(request),
      signal,
      beforeSend: beforeSend && (() => beforeSend().then(() => null)),
    };
  }

  return {
    prepare: (request) => bodies.prepare(request),
    async complete(request, options) {
      const startedMs = clock.monotonicMs();
      const sent = requestOf(request, options);
      const progress = passEvents(options);
      let firstAtMs = null as number | null;
      const emit = (event: LlmEvent): void => {
        firstAtMs ??= clock.monotonicMs();
        progress.emit(event);
      };
      const { outcome, attempts, lost } = await withRetries<Answer>({
        endpoint,
        shared,
        signal: options.signal,
        timeouts: { ...endpoint.timeouts, ...options.timeouts },
        transport: 'http',
        payOnce: options.payOnce ?? false,
        mayStartOver: progress.mayStartOver,
        attempt(timeouts, number) {
          if (number > 1) progress.restart();
          firstAtMs = null;
          return loggedIn(endpoint.login, options.signal, (credential) =>
            sendRequest(sent, credential, timeouts, readerOf(wire, request, emit)),
          );
        },
      });
      if (outcome.type === 'fault') {
        return { ok: false, failure: toFailure(outcome, { provider, model: request.model, attempts, lost }, mask) };
      }
      const answer = recordable(outcome, mask);
      const durationMs = clock.monotonicMs() - startedMs;
      const timeToFirstTokenMs = firstAtMs === null ? null : firstAtMs - startedMs;
      // The estimate of a long answer is as long as its reading, which took this turn.
      if (answer.usage === null || answer.usage.output === 0) await nextTurn();
      const usage = countedUsage(answer, request);
      const told = { timeToFirstTokenMs, durationMs, attempts, lost, fellBackFrom: [] };
      return { ok: true, response: { provider, ...answer, usage, ...told } };
    },
  };
}

/** Reads one answer. It emits events live; they are only valid if the exchange succeeds. */
function readerOf(wire: Wire, request: LlmRequest, emit: (event: LlmEvent) => void): ResponseReader<Answer> {
  let began = false;
  const told = (event: LlmEvent): void => {
    began = true;
    emit(event);
  };
  const reader = answerReader(wire.fold(request, told), wire.classify, wire.framing?.() ?? null);
  return {
    ...reader,
    began: () => began,
    async result() {
      // Its last piece took this turn.
      if (reader.isLong()) await nextTurn();
      return reader.result();
    },
  };
}
