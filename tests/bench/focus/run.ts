/**
 * Whole foci of one scripted turn, from the insert to the end: `npm run bench -- tests/bench/focus/run.ts [--runs 3] [--items 2000]
 * [--variant "one faculty"]`. The daemons are processes of their own, at concurrency 10, on a server with default durability. Memory is that of the
 * first daemon, when the last item has ended and after a minute without work if `--rest` asks for it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import { postgresCpuMs } from '../engage/postgres-cpu.ts';
import { type BenchServer, openBenchServer } from '../queue/server.ts';
import { median } from '../support/bench-database.ts';
import { report } from '../support/report.ts';
import { type BenchDaemon, startBenchDaemon } from './daemon.ts';
import { drain } from './drain.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '3' },
    items: { type: 'string', default: '2000' },
    variant: { type: 'string' },
    rest: { type: 'boolean', default: false },
  },
});
const REST_MS = 60_000;
const runs = Number(values.runs);
const items = Number(values.items);

interface Variant {
  readonly faculties: number;
  readonly daemons: number;
  readonly skills?: { readonly count: number; readonly activated: number };
}

const VARIANTS: Readonly<Record<string, Variant>> = {
  'one faculty, one daemon': { faculties: 1, daemons: 1 },
  'one faculty, two daemons': { faculties: 1, daemons: 2 },
  'ten faculties, one daemon': { faculties: 10, daemons: 1 },
  'one faculty, 5 skills': { faculties: 1, daemons: 1, skills: { count: 5, activated: 0 } },
  'one faculty, 5 skills, 2 of them active': { faculties: 1, daemons: 1, skills: { count: 5, activated: 2 } },
  'one faculty, 5000 skills': { faculties: 1, daemons: 1, skills: { count: 5000, activated: 0 } },
};

const server = await openBenchServer();
print(
  `${server.version}; Node ${process.versions.node}; medians of ${runs} runs of ${items} foci, concurrency 10 each`,
);
try {
  const measured = new Map<string, Measures[]>();
  for (let n = 0; n < runs; n++) {
    for (const [name, variant] of Object.entries(VARIANTS)) {
      if (values.variant !== undefined && !name.includes(values.variant)) continue;
      measured.set(name, [...(measured.get(name) ?? []), await measure(server, variant)]);
    }
  }
  for (const [name, rows] of measured) {
    const columns = Object.keys(rows[0]!) as (keyof Measures)[];
    const medians = columns.map((column) => [column, median(rows.map((row) => row[column]!)).toFixed(2)]);
    print(`${name.padEnd(40)} ${medians.map((pair) => pair.join(' ')).join('   ')}`);
    report({
      what: 'whole foci of one turn',
      who: name,
      figures: Object.fromEntries(medians) as Record<string, string>,
    });
  }
} finally {
  await server.stop();
}

interface Measures {
  readonly 'per second': number;
  /** Of the daemons, in milliseconds per item; their supervisors start nothing here. */
  readonly 'Node ms': number;
  /** Of all backends, in milliseconds per item. */
  readonly 'Postgres ms': number;
  readonly transactions: number;
  readonly 'WAL syncs': number;
  readonly 'WAL KB': number;
  readonly MB: number;
  readonly 'MB at rest'?: number;
}

async function measure(bench: BenchServer, { faculties, daemons, skills }: Variant): Promise<Measures> {
  const url = await bench.migrated();
  const db = openPostgres(url, { poolSize: 2 });
  const started: BenchDaemon[] = [];
  try {
    for (let n = 0; n < daemons; n++) started.push(await startBenchDaemon(url, faculties, skills ? { skills } : {}));
    await drain(db, faculties, 200);
    const nodeMs = () => started.reduce((sum, daemon) => sum + daemon.cpuMs(), 0);
    const before = { node: nodeMs(), postgres: postgresCpuMs(), work: await bench.work(url) };
    const startedMs = performance.now();
    await drain(db, faculties, items);
    const seconds = (performance.now() - startedMs) / 1000;
    const work = await bench.work(url);
    const MB = started[0]!.rssMb();
    if (values.rest) await sleep(REST_MS);
    return {
      'per second': items / seconds,
      'Node ms': (nodeMs() - before.node) / items,
      'Postgres ms': (postgresCpuMs() - before.postgres) / items,
      transactions: (work.transactions - before.work.transactions) / items,
      'WAL syncs': (work.syncs - before.work.syncs) / items,
      'WAL KB': (work.bytes - before.work.bytes) / items / 1024,
      MB,
      ...(values.rest && { 'MB at rest': started[0]!.rssMb() }),
    };
  } finally {
    for (const daemon of started) await daemon.stop();
    await db.close();
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
