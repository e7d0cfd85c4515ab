/** The API on a test database, as a client sees it. */
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { systemClock } from '../../src/core/lifecycle/clock.ts';
import { type ApiOptions, openApi } from '../../src/http/api/api.ts';
import { API_ROUTES } from '../../src/http/api/api-routes.ts';
import { openHealthServer } from '../../src/http/health-server.ts';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import type { Database } from '../../src/store/sql/database.ts';
import { silentLog } from '../../src/telemetry/silent-log.ts';
import { ALL_KEYS, configOf } from './config-of.ts';
import { testDatabase } from './database.ts';
import { checkedAnswers } from './openapi/checked-answers.ts';
import { createToken } from './people.ts';
import { createLogin, dropLogins } from './role-login.ts';

export interface TestApi {
  /** Without a path. */
  readonly url: string;
  /** Ends it, as the daemon does. */
  stop(): Promise<void>;
  /** A token of this person, with all scopes. */
  tokenOf(person: string): Promise<string>;
  /** Sends a request below /api/v1 as this person; null: without a token. */
  call(person: string | null, method: string, path: string, options?: CallOptions): Promise<Answer>;
}

type StartOptions = Partial<ApiOptions> & { readonly maxConnections?: number; readonly slowestReaderMs?: number };

interface CallOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON, of any form. */
  readonly body: ReturnType<typeof JSON.parse>;
}

/**
 * A database for the file, and the API on it, which logs in as a pure gateway: it may read no table, so that what one may not see cannot be
 * shown by mistake. Call it where hooks may be registered.
 */
export function testApi(): {
  /** The schema's owner. */
  readonly owner: () => Database;
  /** What the API uses. */
  readonly gateway: () => Database;
  readonly start: (options?: StartOptions) => Promise<TestApi>;
} {
  const target = testDatabase();
  const logins: string[] = [];
  let gateway: Database;
  beforeAll(async () => {
    gateway = openPostgres(await createLogin(target.connectionString, 'animus_gateway', logins), { poolSize: 4 });
  });
  afterAll(async () => {
    await gateway.close();
    await dropLogins(logins);
  });
  return {
    owner: () => target.database,
    gateway: () => gateway,
    start: (options) => startApi(target.database, { db: gateway, ...options }),
  };
}

/** Serves it until the test has finished, which fails if an answer was not as documented. `database` is the schema's owner, and also what the API uses unless `options.db` is given. */
export async function startApi(database: Database, options: StartOptions = {}): Promise<TestApi> {
  const { maxConnections = 1000, slowestReaderMs } = options;
  const look = async () => ({
    ready: true,
    phase: 'serving' as const,
    version: '1',
    daemon_id: null,
    checks: { database: 'ok', schema: 'ok', listening: 'ok' },
  });
  const server = openHealthServer({ host: '127.0.0.1', port: 0 }, look, {
    maxConnections,
    ...(slowestReaderMs !== undefined && { slowestReaderMs }),
  });
  const api = checkedAnswers(
    openApi({
      log: silentLog,
      clock: systemClock,
      version: '1.2.3',
      db: database,
      config: configOf(ALL_KEYS),
      settings: { allowedHosts: [], allowedOrigins: [], requestsPerMinute: 100_000 },
      ...options,
    }),
    options.routes ?? API_ROUTES,
  );
  await server.start();
  server.serveApi(api);
  const stop = async () => {
    await api.stop();
    await server.stop();
  };
  onTestFinished(async () => {
    await stop();
    api.verify();
  });
  const url = `http://127.0.0.1:${server.address().port}`;
  const tokens = new Map<string, Promise<string>>();
  const tokenOf = (person: string) => {
    if (!tokens.has(person)) tokens.set(person, tokenFor(database, person));
    return tokens.get(person)!;
  };
  return {
    url,
    tokenOf,
    stop,
    async call(person, method, path, given) {
      return call(`${url}/api/v1${path}`, person === null ? null : await tokenOf(person), method, given);
    },
  };
}

async function call(
  url: string,
  token: string | null,
  method: string,
  { body, headers = {} }: CallOptions = {},
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = /json\b/.test(response.headers.get('content-type') ?? '');
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

/** A token of all scopes. Who is not listed becomes a submitter. */
async function tokenFor(owner: Database, person: string): Promise<string> {
  return (await createToken(owner, person)).secret;
}
