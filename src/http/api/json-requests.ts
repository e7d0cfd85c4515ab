/** Requests to routes that answer with one JSON document, from Node's request to its response. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { messageOf } from '../../core/errors/errors.ts';
import type { Admitted } from '../../core/lifecycle/health.ts';
import type { Network } from '../../core/text/networks.ts';
import type { Doorkeeper } from '../door/authorize.ts';
import { clientAddress } from '../door/client-address.ts';
import { corsHeaders, type GateRules } from '../door/gate.ts';
import type { ApiServices, JsonRoute, Route } from '../route/route.ts';
import { type Answer, headersOf, writeAnswer } from './answer.ts';
import { answerJsonRoute } from './answer-route.ts';
import { checkRequest, everyAnswer } from './every-request.ts';
import { observed } from './observed.ts';
import { API_ROOT } from './openapi.ts';
import { forgetRest } from './rest-of-body.ts';
import { routeTable } from './route-table.ts';
import { sentRequest } from './sent-request.ts';
import { wantsStream } from './submitted-stream.ts';

interface Parts {
  readonly services: ApiServices;
  readonly settings: GateRules;
  readonly door: Doorkeeper;
  /** Proxies whose word on the client's address is believed. */
  readonly trusted: readonly Network[];
  readonly stopping: AbortSignal;
  /** The answer to an error. */
  readonly failed: (error: unknown, incoming: IncomingMessage, requestId: string) => Answer;
}

/** Answers a request if its route is one of these; false: it is not, and nothing was done. */
export type AnswerJson = (request: IncomingMessage, response: ServerResponse, admitted: Admitted) => boolean;

export function jsonRequests(routes: readonly Route[], parts: Parts): AnswerJson {
  const { stopping } = parts;
  const table = routeTable(API_ROOT, routes);
  const underWay = new Set<AbortController>();
  stopping.addEventListener('abort', () => underWay.forEach((left) => left.abort()), { once: true });

  return (incoming, outgoing, admitted) => {
    const found = table.find(incoming.method ?? '', incoming.url ?? '');
    if (found === null || found.route.kind !== 'json') return false;
    const left = new AbortController();
    underWay.add(left);
    outgoing.once('close', () => {
      underWay.delete(left);
      if (!outgoing.writableFinished) left.abort();
    });
    const exchange = { incoming, outgoing, admitted, signal: left.signal };
    answer(exchange, { ...found, route: found.route }, parts).catch((error: unknown) => {
      parts.services.log.error({ error: messageOf(error) }, 'an HTTP request could not be answered');
      outgoing.destroy();
    });
    return true;
  };
}

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly admitted: Admitted;
  readonly signal: AbortSignal;
}

async function answer(
  { incoming, outgoing, admitted, signal }: Exchange,
  { route, params }: { readonly route: JsonRoute; readonly params: Readonly<Record<string, string>> },
  { services, settings, door, trusted, stopping, failed }: Parts,
): Promise<void> {
  const requestId = randomUUID();
  let cors: Readonly<Record<string, string>> = {};
  const made = async (): Promise<Answer> => {
    checkRequest(incoming, settings, stopping);
    const address = clientAddress(incoming, trusted);
    const request = sentRequest(incoming);
    const arrival = {
      request,
      path: params,
      address,
      signal,
      admitted,
      use: wantsStream(route, request) ? 'stream' : 'answer',
    } as const;
    const { method, path } = route;
    const seen = { method, route: path, requestId, parent: request.headers.get('traceparent'), address };
    const result = await observed(seen, services, () =>
      answerJsonRoute(route, arrival, services, door).catch((error: unknown) => failed(error, incoming, requestId)),
    );
    cors = corsHeaders(incoming.headers.origin);
    return result;
  };
  const result = await made().catch((error: unknown) => failed(error, incoming, requestId));
  forgetRest(incoming, outgoing);
  await writeAnswer(outgoing, result, { ...everyAnswer(requestId, stopping), ...headersOf(result), ...cors });
}
