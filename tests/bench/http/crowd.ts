/**
 * 200 connections of 20 people who read all that a page may show, at a daemon that works at the same time: how long they wait, and what is left of its turns
 * per second. `npm run bench -- tests/bench/http/crowd.ts [--rounds 3] [--seconds 4] [--connections 200] [--items 2000]`. On a server with default durability.
 */
import { parseArgs } from 'node:util';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import { freePort } from '../../support/free-port.ts';
import { startBenchDaemon } from '../focus/daemon.ts';
import { drain } from '../focus/drain.ts';
import { benchServer, median } from '../support/bench-database.ts';
import { startLineProcess } from '../support/line-process.ts';
import { figure, report } from '../support/report.ts';
import type { Load, Loaded } from './load.ts';
import { measuredRoutes } from './measured-routes.ts';
import { fillWebData } from './web-data.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '4' },
    connections: { type: 'string', default: '200' },
    items: { type: 'string', default: '2000' },
  },
});
const seconds = Number(values.seconds);
const connections = Number(values.connections);

/** How long each connection waits between an answer and its next request, in ms; null: nobody reads. */
const CROWDS: Readonly<Record<string, number | null>> = {
  'nobody reads': null,
  'each reads once a second': 1000,
  'each reads without a pause': 0,
};

interface Round extends Partial<Loaded> {
  readonly turnsPerSecond: number;
}

const database = await benchServer();
const owner = openPostgres(database.url, { poolSize: 5 });
const port = await freePort();
const daemon = await startBenchDaemon(database.url, 1, { http: `127.0.0.1:${port}` });
const client = startLineProcess(new URL('./load.ts', import.meta.url), {});
try {
  await client.line();
  const routes = measuredRoutes(await fillWebData(owner, Number(values.items)));
  const reads = routes.flatMap(({ requests }) => requests.filter(({ method }) => method === 'GET'));
  await drain(owner, 1, 200);
  const measured = new Map<string, Round[]>();
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const [crowd, pauseMs] of Object.entries(CROWDS)) {
      const load: Load = { url: `http://127.0.0.1:${port}/api/v1/`, requests: reads, connections, seconds };
      const reading = pauseMs === null ? null : client.ask<Loaded>(JSON.stringify({ ...load, pauseMs }));
      const turns = await turnsPerSecond();
      measured.set(crowd, [...(measured.get(crowd) ?? []), { turnsPerSecond: turns, ...(await reading) }]);
    }
  }
  for (const [crowd, rounds] of measured) row(crowd, rounds, measured.get('nobody reads')!);
} finally {
  await client.stop();
  await daemon.stop();
  await owner.close();
  await database.stop();
}

/** Whole foci of one turn that the daemon ends. */
async function turnsPerSecond(): Promise<number> {
  const begunMs = performance.now();
  let ended = 0;
  for (; performance.now() < begunMs + 1000 * seconds; ended += 100) await drain(owner, 1, 100);
  return (1000 * ended) / (performance.now() - begunMs);
}

function row(crowd: string, rounds: readonly Round[], alone: readonly Round[]): void {
  const failed = rounds.flatMap((one) => Object.entries(one.failed ?? {}));
  if (failed.length > 0) throw new Error(`${crowd}: ${JSON.stringify(failed)}`);
  const of = (column: 'turnsPerSecond' | 'perSecond' | 'p50Ms' | 'p99Ms') =>
    figure(median(rounds.map((one) => one[column]!)));
  const figures = {
    'turns per second': of('turnsPerSecond'),
    ...(rounds[0]!.perSecond !== undefined && {
      'to those alone': figure(median(rounds.map((one, n) => one.turnsPerSecond / alone[n]!.turnsPerSecond))),
      'requests per second': of('perSecond'),
      'p50 ms': of('p50Ms'),
      'p99 ms': of('p99Ms'),
    }),
  };
  const cells = Object.entries(figures).map(([name, value]) => `${name} ${value}`);
  process.stdout.write(`${`${connections} connections, ${crowd}`.padEnd(50)} ${cells.join('   ')}\n`);
  report({ what: `${connections} connections of 20 people at a daemon: ${crowd}`, who: 'animus', figures });
}
