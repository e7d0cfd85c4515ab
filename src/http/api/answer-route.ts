/** Answers a request by its route: who sends it, what it says, its transaction, its answer. */
import type { Admitted, ConnectionUse } from '../../core/lifecycle/health.ts';
import type { Secret } from '../../core/secrets/secret.ts';
import type { Scope } from '../../core/work/people.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { currentTraceparent } from '../../telemetry/spans.ts';
import type { Caller, Doorkeeper } from '../door/authorize.ts';
import { type Credential, presentedSecret } from '../door/credential.ts';
import type { OwnOrigin } from '../door/gate.ts';
import { clearCookie, setCookie } from '../door/session-cookie.ts';
import { requireScope, type Visitor } from '../login/visitor.ts';
import type { ApiServices, JsonRoute, StreamRoute, Visit } from '../route/route.ts';
import { type Ran, runRoute } from '../route/run-route.ts';
import type { Answer } from './answer.ts';
import { digestsOf, keyOf, once } from './idempotency.ts';
import { parseInput } from './parse-input.ts';
import { afterWait, preferredWait } from './prefer-wait.ts';
import { sealFor } from './seal.ts';
import type { Sent } from './sent-request.ts';
import { wantsStream, withStream } from './submitted-stream.ts';

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
  if (route.session === 'begins') return answerLogin(route, arrival, services, door);
  return door.admitTo(callerOf(arrival), route.scope, async (visitor) => {
    const parsed = await parseInput(route, arrival.request, arrival.path);
    return answerJson(route, { ...arrival, ...parsed }, visitBy(visitor, arrival, services), door.own);
  });
}

/** The body says who sends it. Errors: as `answerJsonRoute`. */
async function answerLogin(
  route: JsonRoute,
  arrival: Arrival,
  services: ApiServices,
  door: Doorkeeper,
): Promise<Answer> {
  const parsed = await parseInput(route, arrival.request, arrival.path);
  const visitor = await door.admitWith(callerOf(arrival), credentialIn(parsed.input.body), route.scope);
  return answerJson(route, { ...arrival, ...parsed }, visitBy(visitor, arrival, services), door.own);
}

function credentialIn(body: unknown): Credential {
  const { token, link } = body as { readonly token?: string; readonly link?: string };
  return token === undefined ? { kind: 'link', text: link ?? '' } : { kind: 'bearer', text: `Bearer ${token}` };
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

type Parsed = Arrival & Awaited<ReturnType<typeof parseInput>>;

async function answerJson(
  route: JsonRoute,
  { request, input, sent }: Parsed,
  visit: Visit,
  own: OwnOrigin,
): Promise<Answer> {
  const streams = wantsStream(route, request);
  // Before anything is submitted.
  if (streams) requireScope(visit.visitor, 'read');
  const key = keyOf(request, route);
  const repeated = key !== null && {
    digests: digestsOf(request, sent),
    seal: route.secret ? sealFor(presentedSecret(request), key) : null,
  };
  const answerWith = (run: () => Promise<Ran>, tx: Queryable) => {
    const answered = async (): Promise<Answer> => {
      const { shown, whole } = await run();
      return { status: route.status, text: `${JSON.stringify(shown)}\n`, ...cookieOf(route, whole, own) };
    };
    return repeated ? once(tx, key, repeated, answered) : answered();
  };
  const answer = await runRoute(route, visit, input, answerWith, repeated !== false);
  if (streams) return withStream(route, answer, visit);
  const seconds = preferredWait(request, route, visit.visitor);
  return seconds === null ? answer : afterWait(route, answer, seconds, visit);
}

function cookieOf({ session }: JsonRoute, whole: unknown, own: OwnOrigin): Pick<Answer, 'headers'> {
  if (session === undefined) return {};
  if (session === 'ends') return { headers: { 'set-cookie': clearCookie(own) } };
  const begun = whole as { readonly session: Secret; readonly expires_at: Date };
  return { headers: { 'set-cookie': setCookie(begun.session, begun.expires_at, own) } };
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
  return { shown: request, address, use, signal };
}

function visitBy(visitor: Visitor, { request, signal, admitted, use }: Arrival, services: ApiServices): Visit {
  admitted(visitor.actor, use);
  return { visitor, services, traceparent: currentTraceparent() ?? request.headers.get('traceparent'), signal };
}
