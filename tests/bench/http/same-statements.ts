/** The statements of a route by themselves, as somebody would send them from psql with the rights of the person who asks. */
import { Client } from 'pg';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { hashAccessToken } from '../../../src/core/secrets/access-token.ts';
import { API_ROUTES } from '../../../src/http/api/api-routes.ts';
import { parseInput } from '../../../src/http/api/parse-input.ts';
import { openLogin } from '../../../src/http/login/login.ts';
import { asVisitor } from '../../../src/http/login/visitor.ts';
import type { ApiServices, JsonRoute } from '../../../src/http/route/route.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Queryable } from '../../../src/store/sql/database.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';
import { configOf } from '../../support/config-of.ts';
import type { MeasuredRoute } from './measured-routes.ts';

interface Statement {
  readonly sql: string;
  readonly params: readonly unknown[];
}

/**
 * How long the statements of the first request of a route take on one connection of this gateway's login that has prepared them: the median of these seconds,
 * in ms. Acting for the person is not part of it; the commit of what is written is.
 */
export async function sameStatementsMs(gatewayUrl: string, measured: MeasuredRoute, seconds: number): Promise<number> {
  const { method, token } = measured.requests[0]!;
  const statements = await statementsOf(gatewayUrl, measured);
  const client = new Client({ connectionString: gatewayUrl });
  await client.connect();
  const begin = async () => {
    await client.query('begin');
    await client.query({ name: 'act', text: 'select animus.act_with_token($1)', values: [hashAccessToken(token)] });
  };
  try {
    const times: number[] = [];
    const writes = method !== 'GET';
    if (!writes) await begin();
    for (const untilMs = performance.now() + 1000 * seconds; performance.now() < untilMs; ) {
      if (writes) await begin();
      const begunMs = performance.now();
      for (const [n, { sql, params }] of statements.entries()) {
        await client.query({ name: `s${n}`, text: sql, values: [...params] });
      }
      if (writes) await client.query('commit');
      times.push(performance.now() - begunMs);
    }
    return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]!;
  } finally {
    await client.end();
  }
}

/** What the route sends to the database inside the transaction of its first request. */
async function statementsOf(gatewayUrl: string, { id, requests }: MeasuredRoute): Promise<readonly Statement[]> {
  const { method, path, token, body } = requests[0]!;
  const route = API_ROUTES.find((one) => one.id === id) as JsonRoute;
  const db = openPostgres(gatewayUrl, { poolSize: 1 });
  try {
    const url = new URL(`http://host${path}`);
    const request = new Request(url, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const { input } = await parseInput(route, request, parametersOf(route.path, url.pathname));
    const visitor = await openLogin({ database: db }).visitor(`Bearer ${token}`);
    const services = {
      db,
      log: silentLog,
      clock: systemClock,
      version: '1',
      config: configOf(),
    } as unknown as ApiServices;
    const statements: Statement[] = [];
    await asVisitor(db, visitor, (tx) => {
      const recorded: Queryable = {
        query: (sql, params = []) => {
          statements.push({ sql, params });
          return tx.query(sql, params);
        },
      };
      const visit = { visitor, services, traceparent: null, signal: new AbortController().signal };
      return route.run({ ...visit, tx: recorded, prepared: undefined }, input);
    });
    return statements;
  } finally {
    await db.close();
  }
}

function parametersOf(template: string, path: string): Record<string, string> {
  const values = path.split('/');
  return Object.fromEntries(
    template.split('/').flatMap((part, n) => (part.startsWith('{') ? [[part.slice(1, -1), values[n]!]] : [])),
  );
}
