/** Answers a request by its route: who sends it, what it says, its transaction, its answer. */
import type { Admitted, ConnectionUse } from '../../core/lifecycle/health.ts';
import type { Scope } from '../../core/work/people.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { currentTraceparent } from '../../telemetry/spans.ts';
import type { Caller, Doorkeeper } from '../door/authorize.ts';
import type { Visitor } from '../login/visitor.ts';
import type { ApiServices, JsonRoute, StreamRoute, Visit } from '../route/route.ts';
import { runRoute } from '../route/run-route.ts';
import type { Answer } from './answer.ts';
import { digestsOf, keyOf, once } from './idempotency.ts';
import { parseInput } from './parse-input.ts';
import { afterWait, preferredWait } from './prefer-wait.ts';
import { sealFor } from './seal.ts';
import type { Sent } from './sent-request.ts';

/** A request that found its route. */
export interface Arrival<Request extends Sent = Sent> {
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

/** Errors: those of the route, for `problemAnswer`. */
export async function answerJsonRoute(
  route: JsonRoute,
  arrival: Arrival,
  services: ApiServices,
  door: Doorkeeper,
): Promise<Answer> {
  const answer = (visitor: Visitor) => answerJson(route, arrival, visitBy(visitor, arrival, services));
  return door.admitTo(callerOf(arrival), route.scope, answer);
}

/** Errors: as `answerJsonRoute`. */
export async function answerStreamRoute(
  route: StreamRoute,
  arrival: Arrival<Request>,
  services: ApiServices,
  door: Doorkeeper,
): Promise<Response> {
  const visit = await visitOf(arrival, services, door, route.scope);
  const { input } = await parseInput(route, arrival.request, arrival.path);
  return route.respond(visit, input, arrival.request);
}

async function answerJson(route: JsonRoute, { request, path }: Arrival, visit: Visit): Promise<Answer> {
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
  return seconds === null ? answer : afterWait(route, answer, seconds, visit);
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
