/** Answers a request by its route: who sends it, what it says, its transaction, its answer. */
import type { Admitted, ConnectionUse } from '../../core/lifecycle/health.ts';
import type { Scope } from '../../core/work/people.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { currentTraceparent } from '../../telemetry/spans.ts';
import type { Caller, Doorkeeper } from '../door/authorize.ts';
import type { Visitor } from '../login/visitor.ts';
import type { ApiServices, JsonRoute, Route, Visit } from '../route/route.ts';
import { runRoute } from '../route/run-route.ts';
import { type Answer, digestsOf, keyOf, once } from './idempotency.ts';
import { parseInput } from './parse-input.ts';
import { afterWait, preferredWait } from './prefer-wait.ts';
import { sealFor } from './seal.ts';
import { slicesOf } from './slices.ts';

/** A request that found its route. */
export interface Arrival {
  readonly request: Request;
  /** The parameters of its path. */
  readonly path: Readonly<Record<string, string>>;
  /** Of the client (`clientAddress`). */
  readonly address: string;
  readonly signal: AbortSignal;
  /** Called once it is known who sends it. */
  readonly admitted: Admitted;
  /** What it uses its connection for. */
  readonly use: ConnectionUse;
}

/** Errors: those of the route, for `problemResponse`. */
export async function answerRoute(
  route: Route,
  arrival: Arrival,
  services: ApiServices,
  door: Doorkeeper,
): Promise<Response> {
  if (route.kind === 'json') {
    const answer = (visitor: Visitor) => answerJson(route, arrival, visitBy(visitor, arrival, services));
    return door.admitTo(callerOf(arrival), route.scope, answer);
  }
  const visit = await visitOf(arrival, services, door, route.scope);
  const { input } = await parseInput(route, arrival.request, arrival.path);
  return route.respond(visit, input, arrival.request);
}

async function answerJson(route: JsonRoute, { request, path }: Arrival, visit: Visit): Promise<Response> {
  const { input, sent } = await parseInput(route, request, path);
  const key = keyOf(request, route);
  const repeated = key !== null && {
    digests: digestsOf(request, sent),
    seal: route.secret ? sealFor(request.headers.get('authorization') ?? '', key) : null,
  };
  const answerWith = (run: () => Promise<unknown>, tx: Queryable) => {
    const answered = async (): Promise<Answer> => ({ status: route.status, text: `${JSON.stringify(await run())}\n` });
    return repeated ? once(tx, key, repeated, answered) : answered();
  };
  const answer = await runRoute(route, visit, input, answerWith, repeated !== false);
  const seconds = preferredWait(request, route, visit.visitor);
  return jsonResponse(seconds === null ? answer : await afterWait(route, answer, seconds, visit));
}

/** Who sends the request, and what is needed to answer it. Errors: those of `Doorkeeper.admit`. */
export async function visitOf(
  arrival: Arrival,
  services: ApiServices,
  door: Doorkeeper,
  scope: Scope | null,
): Promise<Visit> {
  return visitBy(await door.admit(callerOf(arrival), scope), arrival, services);
}

function callerOf({ request, address, use, signal }: Arrival): Caller {
  return { authorization: request.headers.get('authorization') ?? undefined, address, use, signal };
}

function visitBy(visitor: Visitor, { request, signal, admitted, use }: Arrival, services: ApiServices): Visit {
  admitted(visitor.actor, use);
  return { visitor, services, traceparent: currentTraceparent() ?? request.headers.get('traceparent'), signal };
}

/** A longer answer, in characters, is handed to the socket in pieces, so that the server sees how fast its reader takes it. */
const IN_ONE_PIECE = 64 * 1024;

function jsonResponse({ status, text, replayed = false, headers }: Answer): Response {
  return new Response(text.length > IN_ONE_PIECE ? ReadableStream.from(slicesOf(text)) : text, {
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      ...(replayed && { 'idempotency-replayed': 'true' }),
      ...headers,
    },
  });
}
