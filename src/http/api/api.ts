/** The API below `/api/`, as a handler of Node's HTTP server. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import type { HttpConfig } from '../../core/config/sections/http.ts';
import type { ErrorCode } from '../../core/errors/error-table.ts';
import { AnimusError } from '../../core/errors/errors.ts';
import type { Admitted, ConnectionUse, HttpApi } from '../../core/lifecycle/health.ts';
import { type Network, parseNetworks } from '../../core/text/networks.ts';
import { type Doorkeeper, doorkeeper, FAILURES_PER_MINUTE } from '../door/authorize.ts';
import { clientAddress } from '../door/client-address.ts';
import { corsHeaders, preflight } from '../door/gate.ts';
import { rateLimit } from '../door/limits.ts';
import { openLiveEvents } from '../events/live-events.ts';
import { sendStreamed } from '../events/streamed-response.ts';
import { openIssuer } from '../login/issuer.ts';
import { openLogin } from '../login/login.ts';
import { shownError } from '../route/public-error.ts';
import type { ApiServices, Route } from '../route/route.ts';
import { type Answer, headersOf } from './answer.ts';
import { type Arrival, answerStreamRoute } from './answer-route.ts';
import { API_ROUTES } from './api-routes.ts';
import { checkRequest, everyAnswer } from './every-request.ts';
import { jsonRequests } from './json-requests.ts';
import { answerMcpRequest } from './mcp-route.ts';
import { observed } from './observed.ts';
import { openSockets } from './open-sockets.ts';
import { API_ROOT, openApiDocument } from './openapi.ts';
import { problemAnswer } from './problem.ts';
import { challenge, METADATA_PATH, type MetadataSettings, resourceMetadata } from './resource-metadata.ts';

/** What the routes get, and the settings of the API. */
export interface ApiOptions extends Omit<ApiServices, 'live'> {
  readonly settings: Pick<HttpConfig, 'allowedHosts' | 'allowedOrigins' | 'requestsPerMinute'> & {
    /** Default: none. */
    readonly trustedProxies?: HttpConfig['trustedProxies'];
    /** Default: only tokens of our own are accepted. */
    readonly oidc?: HttpConfig['oidc'];
    /** Clients reach it by HTTPS. Default: false. */
    readonly behindTls?: boolean;
  };
  /** Default: all. */
  readonly routes?: readonly Route[];
}

/** What Hono passes on of the request: Node's, and what to call once it is known who sends it. */
interface Bindings {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}
type Env = { Bindings: Bindings; Variables: { requestId: string } };

/** How long `stop` waits for requests that are being answered, before it cuts them. */
const STOP_MS = 5000;

/** Makes the API. It answers until `stop`, which waits for the requests under way and ends all streams. */
export function openApi(options: ApiOptions): HttpApi {
  const stopping = new AbortController();
  const live = openLiveEvents(options.db, options.clock, options.log);
  const { settings } = options;
  const { oidc, requestsPerMinute, trustedProxies = [] } = settings;
  const trusted = parseNetworks(trustedProxies);
  const limits = {
    answer: rateLimit(requestsPerMinute, options.clock),
    stream: rateLimit(requestsPerMinute, options.clock),
  };
  const login = openLogin({ database: options.db, issuer: oidc ? openIssuer(oidc) : null });
  const door = doorkeeper(login, limits, rateLimit(FAILURES_PER_MINUTE, options.clock), settings);
  const services = { ...options, live };
  const failed = (error: unknown, incoming: IncomingMessage, requestId: string) =>
    errorAnswer(error, incoming, { requestId, client: clientAddress(incoming, trusted), settings, log: options.log });
  const entrance = { door, trusted, stopping: stopping.signal, failed };
  const answerJson = jsonRequests(options.routes ?? API_ROUTES, { services, settings, ...entrance });
  const app = createApp(services, entrance);
  const sockets = openSockets({
    services,
    settings,
    trusted,
    door,
    requests: limits.answer,
    stopping: stopping.signal,
  });
  const fetch = async (request: Request, { incoming, outgoing }: Bindings) => {
    const answer = await app.fetch(request, { incoming, outgoing });
    return sendStreamed(answer, outgoing) ? RESPONSE_ALREADY_SENT : answer;
  };
  const listener = getRequestListener((request, node) => fetch(request, node as Bindings), {
    overrideGlobalObjects: false,
  });
  const underWay = new Set<Promise<unknown>>();
  return {
    answer(request, response, admitted) {
      const closed = new Promise<void>((done) => response.once('close', done));
      underWay.add(closed);
      void closed.then(() => underWay.delete(closed));
      if (answerJson(request, response, admitted)) return;
      ADMITTED.set(request, admitted);
      void listener(request, response);
    },
    upgrade: sockets.upgrade,
    async stop() {
      stopping.abort();
      await live.stop();
      await sockets.stop();
      const waiting = new AbortController();
      await Promise.race([Promise.all(underWay), options.clock.sleep(STOP_MS, waiting.signal)]);
      waiting.abort();
    },
  };
}

/** Marks a connection as one of somebody known. Kept aside, because Hono passes on Node's request and nothing else. */
const ADMITTED = new WeakMap<IncomingMessage, Admitted>();

interface Entrance {
  readonly door: Doorkeeper;
  /** Proxies whose word on the client's address is believed. */
  readonly trusted: readonly Network[];
  readonly stopping: AbortSignal;
  readonly failed: (error: unknown, incoming: IncomingMessage, requestId: string) => Answer;
}

/** What does not answer with one JSON document, and what is not there. */
function createApp(options: ApiOptions & ApiServices, { door, trusted, stopping, failed }: Entrance): Hono<Env> {
  const { settings, version, routes = API_ROUTES } = options;
  const app = new Hono<Env>();
  // Made when somebody asks for it: it costs a tenth of a second.
  let document: object | undefined;

  app.use(async (context, next) => {
    context.set('requestId', randomUUID());
    await next();
    const { headers } = context.res;
    for (const [name, value] of Object.entries(everyAnswer(context.get('requestId'), stopping))) {
      if (name !== 'cache-control' || !headers.has(name)) headers.set(name, value);
    }
  });
  app.use(async (context, next) => {
    const { origin } = context.env.incoming.headers;
    checkRequest(context.env.incoming, settings, stopping);
    if (context.req.method === 'OPTIONS' && origin !== undefined) context.res = preflight(origin);
    else await next();
    for (const [name, value] of Object.entries(corsHeaders(origin))) context.res.headers.set(name, value);
  });

  app.get(`${METADATA_PATH}/*`, (context) => {
    const { host = '' } = context.env.incoming.headers;
    const metadata = resourceMetadata(context.req.path, host, settings);
    return metadata === null ? context.notFound() : context.json(metadata);
  });
  app.get(`${API_ROOT}/openapi.json`, (context) => {
    document ??= openApiDocument(routes, version);
    return context.json(document);
  });
  const streams = routes
    .filter((route) => route.kind === 'stream')
    .map((route) => ({
      method: route.method as string,
      path: route.path,
      use: useOf(route),
      answer: (arrival: Arrival<Request>) => answerStreamRoute(route, arrival, options, door),
    }));
  const answerMcp = (arrival: Arrival<Request>) => answerMcpRequest(arrival, options, door);
  const mcp = { method: 'POST', path: '/mcp', use: 'answer', answer: answerMcp } as const;
  for (const { method, path: route, use, answer } of [...streams, mcp]) {
    app.on(method, honoPath(route), (context) => {
      const { incoming } = context.env;
      const signal = AbortSignal.any([stopping, context.req.raw.signal]);
      const path = context.req.param() as Record<string, string>;
      const address = clientAddress(incoming, trusted);
      const admitted: Admitted = (person, use) => ADMITTED.get(incoming)?.(person, use);
      const { raw } = context.req;
      const arrival = { request: raw, path, address, signal, admitted, use };
      const parent = raw.headers.get('traceparent');
      const seen = { method, route, requestId: context.get('requestId'), parent, address };
      return observed(seen, options, () => answer(arrival).catch((error: unknown) => failure(error, context)));
    });
  }
  for (const [path, methods] of Map.groupBy([...routes, mcp], (route) => honoPath(route.path))) {
    app.all(path, () => {
      // A GET can be asked for without its body.
      const allowed = new Set(methods.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : method)));
      const allow = [...allowed].join(', ');
      return responseOf(problemAnswer(new AnimusError('http.method', { methods: allow }), { allow }));
    });
  }
  app.notFound(() => responseOf(problemAnswer(new AnimusError('http.not_found'))));
  app.onError(failure);
  return app;

  function failure(error: unknown, context: Context<Env>): Response {
    return responseOf(failed(error, context.env.incoming, context.get('requestId')));
  }
}

interface Failure {
  readonly requestId: string;
  /** The address of the client. */
  readonly client: string;
  readonly settings: MetadataSettings;
  readonly log: ApiServices['log'];
}

function errorAnswer(error: unknown, { headers, url = '' }: IncomingMessage, failure: Failure): Answer {
  const { settings, log, requestId, client } = failure;
  const shown = shownError(error, log, { requestId, client });
  const unknown = shown.code === 'http.unauthorized';
  const path = url.split('?', 1)[0]!;
  return problemAnswer(shown, unknown ? challenge(path, headers.host ?? '', settings) : MORE_HEADERS[shown.code]);
}

function responseOf(answer: Answer): Response {
  return new Response(answer.text, { status: answer.status, headers: headersOf(answer) });
}

const MORE_HEADERS: Partial<Record<ErrorCode, Record<string, string>>> = {
  // The rest of the body was not read, so the connection cannot be used again.
  'http.too_large': { connection: 'close' },
};

/** A stream of events stays open; files and exports have an end. */
function useOf(route: Route): ConnectionUse {
  return route.kind === 'stream' && route.media.includes('text/event-stream') ? 'stream' : 'answer';
}

/** `/work/{id}` as Hono writes it. */
function honoPath(path: string): string {
  return API_ROOT + path.replaceAll(/\{(\w+)\}/g, ':$1');
}
