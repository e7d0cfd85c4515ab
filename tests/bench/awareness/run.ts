/**
 * The digest of awareness beside a long history and many running foci: `npm run bench -- tests/bench/awareness/run.ts [--items 1000000]
 * [--ledger 5] [--running 1000] [--runs 300] [--explain]`. The statement is warm: its plan is cached, as in a daemon that has begun a focus on
 * this connection before. `--explain` prints the plan of each part. Filling takes about a minute per million items.
 */
import { parseArgs } from 'node:util';
import { awarenessTable, readAwareness as readSettings } from '../../../src/catalog/faculty/awareness.ts';
import { estimateTokens } from '../../../src/core/work/tokens.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { readAwareness } from '../../../src/store/work/awareness.ts';
import { awarenessView, resourcesOf } from '../../../src/tools/awareness/awareness-view.ts';
import { awarenessDigest } from '../../../src/tools/awareness/digest-text.ts';
import { postgresCpuMs } from '../engage/postgres-cpu.ts';
import { percentiles } from '../queue/scenarios.ts';
import { openBenchServer, withPool } from '../queue/server.ts';
import { report } from '../support/report.ts';
import { explainAwareness } from './explain.ts';
import { fillEnded, fillRunning } from './fill.ts';

const { values } = parseArgs({
  options: {
    items: { type: 'string', default: '1000000' },
    ledger: { type: 'string', default: '5' },
    running: { type: 'string', default: '1000' },
    runs: { type: 'string', default: '300' },
    explain: { type: 'boolean', default: false },
  },
});
const [items, ledger, running, runs] = [values.items, values.ledger, values.running, values.runs].map(Number) as [
  number,
  number,
  number,
  number,
];

const server = await openBenchServer();
try {
  print(`${server.version}; ${items} ended items with ${ledger} findings each, ${running} open ones`);
  const url = await server.migrated();
  await withPool(url, (db) => measureAll(db, url), 1);
} finally {
  await server.stop();
}

async function measureAll(db: Database, url: string): Promise<void> {
  const began = performance.now();
  await fillEnded(db, items, ledger);
  await fillRunning(db, running);
  print(`filled in ${((performance.now() - began) / 1000).toFixed(0)} s`);
  const [me] = await db.query<{ login: string }>('select session_user::text as login');
  for (const [who, viewer] of [
    ['who sees all work', me!.login],
    ['who sees a tenth of it', 'person:ada'],
    ['who sees nothing', 'person:nobody'],
  ] as const) {
    await measure(db, who, viewer);
  }
  await texts(db, me!.login);
  if (values.explain) for (const line of await explainAwareness(url, me!.login)) print(line);
}

async function measure(db: Database, who: string, viewer: string): Promise<void> {
  for (let n = 0; n < 10; n++) await readAwareness(db, [viewer], 24);
  const before = { postgres: postgresCpuMs(), node: process.cpuUsage() };
  const times: number[] = [];
  let rows = 0;
  for (let n = 0; n < runs; n++) {
    const began = performance.now();
    rows = (await readAwareness(db, [viewer], 24)).rows.length;
    times.push(performance.now() - began);
  }
  const node = process.cpuUsage(before.node);
  const { p50, p95, p99 } = percentiles(times);
  const figures = {
    rows: String(rows),
    'p50 ms': p50.toFixed(2),
    'p95 ms': p95.toFixed(2),
    'p99 ms': p99.toFixed(2),
    'Postgres ms': ((postgresCpuMs() - before.postgres) / runs).toFixed(2),
    'Node ms': ((node.user + node.system) / 1000 / runs).toFixed(2),
  };
  show('digest, read', who, figures);
}

/** Making the text of a view: prepared once, then for foci that share it, and for foci with a resource of their own. */
async function texts(db: Database, viewer: string): Promise<void> {
  const settings = readSettings(awarenessTable().parse({}));
  const seen = await readAwareness(db, [viewer], 24);
  const began = performance.now();
  let view = awarenessView(seen);
  for (let n = 1; n < 20; n++) view = awarenessView(seen);
  const prepared = (performance.now() - began) / 20;
  const each = (resources: readonly string[]) => {
    let text = awarenessDigest(view, { id: 'first', ancestors: [], resources }, settings);
    const start = performance.now();
    for (let n = 0; n < 1000; n++) text = awarenessDigest(view, { id: `i${n}`, ancestors: [], resources }, settings);
    return { us: performance.now() - start, tokens: estimateTokens(text ?? '') };
  };
  const [shared, own] = [each([]), each(resourcesOf({ repo: 'acme/app-7' }))];
  show('digest, text', 'default settings', {
    'view ms': prepared.toFixed(2),
    'shared µs': shared.us.toFixed(2),
    'own resources µs': own.us.toFixed(2),
    tokens: `${shared.tokens} and ${own.tokens} of ${settings.maxTokens}`,
  });
}

function show(what: string, who: string, figures: Readonly<Record<string, string>>): void {
  print(
    `${what}, ${who}: ${Object.entries(figures)
      .map(([name, value]) => `${name} ${value}`)
      .join('   ')}`,
  );
  report({ what, who, figures });
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
