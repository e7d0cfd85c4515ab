/**
 * The queue compared with its peers: `node tests/bench/queue/run.ts [latency tail drain counts depth daemons enqueue rows explain history] [--runs 3] [--jobs 20000]`.
 * All of it takes about 15 minutes on two idle cores. BENCH_DATABASE_URL: connection string of a superuser to
 * another server than the one it starts.
 */
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import { figure, report } from '../support/report.ts';
import { animusQueue } from './animus.ts';
import { depth, explain } from './depth.ts';
import { history } from './history.ts';
import { graphileLocalQueue, graphileQueue, pgBossQueue } from './peers.ts';
import type { BenchQueue } from './queue.ts';
import { fill, views } from './rows.ts';
import { counted, drain, latency, median, produce, tail } from './scenarios.ts';
import { type BenchServer, openBenchServer } from './server.ts';

/** Without names, all but `history`: with `--rows 10000000 --ledger 10` it needs half an hour and 40 GB of disk. */
const PARTS = ['latency', 'tail', 'drain', 'counts', 'depth', 'daemons', 'enqueue', 'rows', 'explain'] as const;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '3' },
    samples: { type: 'string', default: '5000' },
    jobs: { type: 'string', default: '20000' },
    rows: { type: 'string', default: '1000000' },
    ledger: { type: 'string', default: '10' },
  },
});
const runs = Number(values.runs);
const samples = Number(values.samples);
const jobs = Number(values.jobs);

const QUEUES: Readonly<Record<string, (server: BenchServer) => Promise<BenchQueue>>> = {
  'animus, each end by itself': async (server) => animusQueue(await server.migrated(), 'each'),
  'animus, ends batched': async (server) => animusQueue(await server.migrated(), 'batched'),
  'animus, prefetch': async (server) => animusQueue(await server.migrated(), 'ahead'),
  'graphile-worker': async (server) => graphileQueue(await server.fresh()),
  'graphile-worker, local queue': async (server) => graphileLocalQueue(await server.fresh()),
  'pg-boss': async (server) => pgBossQueue(await server.fresh()),
};

/** Those that claim more than they have slots for: measured in drains only. */
const AHEAD = ['animus, prefetch', 'graphile-worker, local queue'];

const server = await openBenchServer();
print(`${server.version}; ${versions()}; medians of ${runs}`);
try {
  for (const part of positionals.length > 0 ? positionals : PARTS) await measure(part);
} finally {
  await server.stop();
}

async function measure(part: string): Promise<void> {
  switch (part) {
    case 'latency':
      // pg-boss polls every half second, which determines its latency, so it is not measured.
      return compare('insert to handler start, ms', without('pg-boss', ...AHEAD), async (queue) => {
        const { p50, p95, p99 } = await latency(queue, 300);
        return { p50, p95, p99 };
      });
    case 'tail':
      for (const concurrency of [1, 4, 10]) await tailAt(concurrency);
      return;
    case 'drain':
      return compare(`bulk enqueue and drain of ${jobs} at concurrency 10, per second`, QUEUES, (queue) =>
        drain(queue, jobs, 10),
      );
    case 'counts':
      return compare(`a drain of ${jobs / 4} at concurrency 10, per job`, QUEUES, (queue) =>
        counted(server, queue, jobs / 4, 10),
      );
    case 'daemons':
      for (const workers of [1, 2])
        await compare(
          `drain with ${workers} daemon(s) of concurrency 10, per second`,
          without('pg-boss', ...AHEAD),
          async (queue) => ({
            drain: (await drain(queue, jobs, 10, workers)).drain,
          }),
        );
      return;
    case 'enqueue':
      return compare('enqueue by ten producers, per second', without(...AHEAD), async (queue) => ({
        idle: await produce(queue, jobs / 4, false),
        busy: await produce(queue, jobs / 4, true),
      }));
    case 'rows':
      await compare(
        `bulk insert of ${values.rows}, and its size`,
        only('animus, ends batched', 'graphile-worker'),
        (queue) => fill(queue, Number(values.rows)),
      );
      return views(server, Number(values.rows), print);
    case 'depth':
      return depth(server, Number(values.rows), runs, print);
    case 'history':
      return history(server, Number(values.rows), Number(values.ledger), runs, print);
    case 'explain':
      return explain(server, Number(values.rows), print);
    default:
      throw new Error(`no part ${part}; known are ${PARTS.join(', ')}, history`);
  }
}

/** The tail at half of what the slowest of the queues drains at this concurrency, in this run. */
async function tailAt(concurrency: number): Promise<void> {
  const queues = without('pg-boss', ...AHEAD);
  let capacity = Number.POSITIVE_INFINITY;
  for (const open of Object.values(queues)) {
    const queue = await open(server);
    capacity = Math.min(capacity, (await drain(queue, 1000, concurrency)).drain);
    await queue.close();
  }
  const rate = Math.round(capacity / 2);
  await compare(
    `insert to handler start at half capacity (${rate} per second, concurrency ${concurrency}, ${samples} samples), ms`,
    queues,
    async (queue) => ({ ...(await tail(queue, samples, concurrency, rate)) }),
  );
}

/** Versions of the compared packages, as installed. */
function versions(): string {
  const require = createRequire(import.meta.url);
  const of = (name: string) => `${name} ${(require(`${name}/package.json`) as { version: string }).version}`;
  return [of('graphile-worker'), of('pg-boss'), `Node ${process.versions.node}`].join(', ');
}

function without(...names: string[]): typeof QUEUES {
  return Object.fromEntries(Object.entries(QUEUES).filter(([other]) => !names.includes(other)));
}

function only(...names: string[]): typeof QUEUES {
  return Object.fromEntries(Object.entries(QUEUES).filter(([name]) => names.includes(name)));
}

/** Runs of the queues take turns, so that a busy moment of the machine does not affect only one of them. */
async function compare(
  title: string,
  queues: typeof QUEUES,
  run: (queue: BenchQueue) => Promise<Record<string, number>>,
): Promise<void> {
  const results = new Map<string, Record<string, number>[]>();
  for (let n = 0; n < runs; n++) {
    for (const [name, open] of Object.entries(queues)) {
      const queue = await open(server);
      results.set(name, [...(results.get(name) ?? []), await run(queue)]);
      await queue.close();
    }
  }
  print(`\n${title}`);
  for (const [name, measured] of results) {
    const medians = Object.keys(measured[0]!).map((key) => [key, figure(median(measured.map((one) => one[key]!)))]);
    print(`  ${name.padEnd(30)} ${medians.map((pair) => pair.join(' ')).join('   ')}`);
    report({ what: title, who: name, figures: Object.fromEntries(medians) as Record<string, string> });
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
