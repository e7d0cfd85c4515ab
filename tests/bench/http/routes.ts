/**
 * Routes of the API beside the same routes in bare Fastify and Hono, which read the tables without looking at anybody's rights, and beside their own statements
 * sent by one prepared connection:
 * `npm run bench -- tests/bench/http/routes.ts [--rounds 3] [--seconds 1.5] [--connections 1,10,100] [--items 20000] [--only "GET /work"]`.
 * The servers are processes of their own, with ten connections each to one PostgreSQL with default durability, on a disk, and take turns. `npm ci --prefix tests/bench/peers` installs Fastify.
 */
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import { postgresCpuMs } from '../engage/postgres-cpu.ts';
import { BARE_TABLE } from '../peers/bare-routes.ts';
import { benchServer, median } from '../support/bench-database.ts';
import { startLineProcess } from '../support/line-process.ts';
import { processCpuMs } from '../support/process-cpu.ts';
import { figure, report } from '../support/report.ts';
import type { Load, Loaded } from './load.ts';
import { type MeasuredRoute, measuredRoutes } from './measured-routes.ts';
import { sameStatementsMs } from './same-statements.ts';
import { fillWebData } from './web-data.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '1.5' },
    connections: { type: 'string', default: '1,10,100' },
    items: { type: 'string', default: '20000' },
    only: { type: 'string', default: '' },
  },
});
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const connections = values.connections.split(',').map(Number);

/** What one server did for one route at one number of connections. */
interface Measure extends Loaded {
  /** Processor time per request, of the server's process and of all of Postgres. */
  readonly processMs: number;
  readonly postgresMs: number;
}

interface Server {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

if (!existsSync(new URL('../peers/node_modules/fastify', import.meta.url)))
  throw new Error('Fastify is not installed: npm ci --prefix tests/bench/peers');
const database = await benchServer(tmpdir());
const owner = openPostgres(database.url, { poolSize: 5 });
const stops: (() => Promise<void>)[] = [];
try {
  await owner.query(BARE_TABLE);
  const routes = measuredRoutes(await fillWebData(owner, Number(values.items)));
  const gatewayUrl = await gatewayLogin();
  const servers = [
    await server('animus', '../http/api-server.ts', gatewayUrl),
    await server('Fastify', '../peers/fastify.ts', database.url),
    await server('Hono', '../peers/hono.ts', database.url),
  ];
  const client = startLineProcess(new URL('./load.ts', import.meta.url), {});
  stops.push(client.stop);
  await client.line();
  const send = (load: Load) => client.ask<Loaded>(JSON.stringify(load));
  for (const route of routes.filter(({ name }) => name.includes(values.only)))
    await compare(route, servers, send, gatewayUrl);
} finally {
  for (const stop of stops) await stop();
  await owner.query('drop schema if exists bare cascade');
  await owner.close();
  await database.stop();
}

/** Measures a route everywhere, in turns, and prints its rows. */
async function compare(
  route: MeasuredRoute,
  servers: readonly Server[],
  send: (load: Load) => Promise<Loaded>,
  gatewayUrl: string,
): Promise<void> {
  const measured = new Map<string, Measure[]>();
  const alone: number[] = [];
  for (const { url } of servers) await send({ url, requests: route.requests, connections: 4, seconds: seconds / 3 });
  for (let round = 0; round < rounds; round++) {
    alone.push(await sameStatementsMs(gatewayUrl, route, seconds / 2));
    for (const many of connections) {
      for (const one of servers) {
        const key = `${one.name} ${many}`;
        measured.set(key, [...(measured.get(key) ?? []), await measure(one, route, many, send)]);
      }
    }
  }
  const statementsMs = median(alone);
  row(route.name, 'its statements, one connection', { 'p50 ms': figure(statementsMs) });
  for (const many of connections) {
    for (const { name } of servers) {
      const figures = measured.get(`${name} ${many}`)!;
      const of = (column: keyof Omit<Measure, 'failed'>) => median(figures.map((one) => one[column]));
      const ratio = (other: string, of: (one: Measure) => number) =>
        figure(median(figures.map((one, n) => of(one) / of(measured.get(`${other} ${many}`)![n]!))));
      row(`${route.name}, ${many === 1 ? '1 connection' : `${many} connections`}`, name, {
        'per second': figure(of('perSecond')),
        'p50 ms': figure(of('p50Ms')),
        'p99 ms': figure(of('p99Ms')),
        'CPU of the process ms': figure(of('processMs')),
        'CPU of Postgres ms': figure(of('postgresMs')),
        ...(name === 'animus' && {
          'rate to Fastify': ratio('Fastify', ({ perSecond }) => perSecond),
          'rate to Hono': ratio('Hono', ({ perSecond }) => perSecond),
          // This one is right on a busy machine, too.
          'CPU to Fastify': ratio('Fastify', ({ processMs, postgresMs }) => processMs + postgresMs),
          ...(many === 1 && { 'p50 to its statements': figure(of('p50Ms') / statementsMs) }),
        }),
      });
    }
  }
}

async function measure(
  { url, pid, name }: Server,
  { name: what, requests }: MeasuredRoute,
  many: number,
  send: (load: Load) => Promise<Loaded>,
): Promise<Measure> {
  const used = () => ({ process: processCpuMs(pid), postgres: postgresCpuMs() });
  const before = used();
  const begunMs = performance.now();
  const loaded = await send({ url, requests, connections: many, seconds });
  const after = used();
  if (Object.keys(loaded.failed).length > 0) throw new Error(`${name}, ${what}: ${JSON.stringify(loaded.failed)}`);
  const answered = (loaded.perSecond * (performance.now() - begunMs)) / 1000;
  return {
    ...loaded,
    processMs: (after.process - before.process) / answered,
    postgresMs: (after.postgres - before.postgres) / answered,
  };
}

async function server(name: string, file: string, databaseUrl: string): Promise<Server> {
  const started = startLineProcess(new URL(file, import.meta.url), { DATABASE_URL: databaseUrl });
  stops.push(started.stop);
  return { name, url: await started.line(), pid: started.pid, stop: started.stop };
}

/** A login that may do nothing but act for people, as a server of the API should have. */
async function gatewayLogin(): Promise<string> {
  await owner.query(`create role bench_gateway login password 'p' in role animus_gateway`);
  stops.push(async () => void (await owner.query('drop role bench_gateway')));
  const url = new URL(database.url);
  [url.username, url.password] = ['bench_gateway', 'p'];
  return url.href;
}

function row(what: string, who: string, figures: Record<string, string>): void {
  const cells = Object.entries(figures).map(([name, value]) => `${name} ${value}`);
  process.stdout.write(`${what.padEnd(40)} ${who.padEnd(30)} ${cells.join('   ')}\n`);
  report({ what, who, figures });
}
