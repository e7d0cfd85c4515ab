/** Answers a request by its route: who sends it, what it says, its transaction, its answer. */
import { untilUnlocked } from '../../store/sql/patient-database.ts';
import { currentTraceparent } from '../../telemetry/spans.ts';
import { asVisitor } from '../login/visitor.ts';
import type { ApiServices, JsonRoute, Route, Visit } from '../route/route.ts';
import type { Doorkeeper } from './authorize.ts';
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
  /** Called once it is known who sends it. Errors: `http.too_many`. */
  readonly admitted: (actor: string) => void;
}

/** How long a request waits for work that another transaction holds. */
const LOCKED_MS = 5000;

/** Errors: those of the route, for `problemResponse`. */
export async function answerRoute(
  route: Route,
  arrival: Arrival,
  services: ApiServices,
  door: Doorkeeper,
): Promise<Response> {
  const { request, path, address, signal } = arrival;
  const authorization = request.headers.get('authorization') ?? undefined;
  const visitor = await door.admit({ authorization, address, signal }, route.scope);
  arrival.admitted(visitor.actor);
  const { input, sent } = await parseInput(route, request, path);
  const traceparent = currentTraceparent() ?? request.headers.get('traceparent');
  const visit: Visit = { visitor, services, traceparent, signal };
  if (route.kind === 'stream') return route.respond(visit, input, request);
  const key = keyOf(request, route);
  const repeated = key !== null && {
    digests: digestsOf(request, sent),
    seal: route.secret ? sealFor(authorization ?? '', key) : null,
  };
  const prepared = await route.prepare?.(visit, input);
  const act = () =>
    asVisitor(services.db, visitor, (tx) => {
      const run = async () => answerOf(route, await route.run({ ...visit, tx, prepared }, input));
      return repeated ? once(tx, key, repeated, run) : run();
    });
  const answer = await untilUnlocked(act, { clock: services.clock, signal, forMs: LOCKED_MS });
  const seconds = preferredWait(request, route, visitor);
  return jsonResponse(seconds === null ? answer : await afterWait(route, answer, seconds, visit));
}

/** A longer answer, in characters, is handed to the socket in pieces, so that the server sees how fast its reader takes it. */
const IN_ONE_PIECE = 64 * 1024;

/** Only what the schema names leaves. */
function answerOf(route: JsonRoute, result: unknown): Answer {
  return { status: route.status, text: `${JSON.stringify(route.output.parse(result))}\n` };
}

function jsonResponse({ status, text, replayed = false, headers }: Answer): Response {
  return new Response(text.length > IN_ONE_PIECE ? slicesOf(text) : text, {
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      ...(replayed && { 'idempotency-replayed': 'true' }),
      ...headers,
    },
  });
}
