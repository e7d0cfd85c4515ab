/**
 * The memory of a daemon while parents wait for their children: `npm run bench -- tests/bench/children/waiting.ts [--parents 1000]`. The daemon runs in
 * this process with two slots; nobody does the children. The heap is read after garbage collection, first with 200 parents parked (all code is
 * warm), then with so many more.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { loadConfig } from '../../../src/catalog/config/load-config.ts';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { createInterrupts } from '../../../src/core/lifecycle/interrupts.ts';
import { runDaemon } from '../../../src/daemon/daemon.ts';
import { loadFeatures, loadSections } from '../../../src/features/features.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import type { Log } from '../../../src/telemetry/log.ts';
import { benchServer } from '../support/bench-database.ts';

const { values } = parseArgs({ options: { parents: { type: 'string', default: '1000' } } });
const parents = Number(values.parents);
const WARM = 200;

const SCRIPT = `
[[answer]]
[[answer.call]]
tool = "spawn_child_work"
input = { faculty = "nobody", description = "Never done" }
[[answer]]
[[answer.call]]
tool = "await_child_work"
input = {}
`;
const FACULTY = `
[faculty]
name = "parent"
[faculty.engage]
model = "play/any"
system_prompt = "You wait."
[faculty.children]
faculties = ["nobody"]
`;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const server = await benchServer();
const db = openPostgres(server.url, { poolSize: 2 });
const directory = mkdtempSync(join(tmpdir(), 'animus-bench-waiting-'));
mkdirSync(join(directory, 'faculties'));
writeFileSync(join(directory, 'faculties/parent.toml'), FACULTY);
writeFileSync(join(directory, 'script.toml'), SCRIPT);
writeFileSync(
  join(directory, 'animus.toml'),
  '[daemon]\nmax_concurrent = 2\nhttp = "off"\n[providers.play]\nkind = "scripted"\nscript = "script.toml"\n',
);
const interrupts = createInterrupts(systemClock);
const running = startDaemon();
try {
  await park(db, WARM);
  const before = await measure();
  await park(db, WARM + parents);
  const after = await measure();
  const each = (after.heap - before.heap) / parents;
  process.stdout.write(
    `heap with ${WARM} waiting parents: ${mib(before.heap)}, with ${WARM + parents}: ${mib(after.heap)} (${Math.round(each)} bytes each); foci in the daemon: ${after.foci}\n`,
  );
} finally {
  interrupts.receive('SIGTERM');
  await running;
  await db.close();
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
}

async function startDaemon(): Promise<unknown> {
  const env = { HOME: directory, ANIMUS_HOME: join(directory, 'home'), DATABASE_URL: server.url };
  const sections = await loadSections();
  const load = () => loadConfig({ env, cwd: directory }, sections);
  const silent: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };
  return runDaemon(
    {
      parts: await loadFeatures(),
      config: load(),
      version: 'bench',
      reloadConfig: load,
      facultiesDir: join(directory, 'faculties'),
      log: silent,
      onEvent() {},
      onReady() {},
    },
    interrupts,
  );
}

/** Inserts parents until so many wait. */
async function park(database: Database, total: number): Promise<void> {
  const [row] = await database.query<{ count: number }>(
    `select count(*)::int from animus.work_items where faculty = 'parent'`,
  );
  await database.query(`insert into animus.work_items (faculty) select 'parent' from generate_series(1, $1)`, [
    total - row!.count,
  ]);
  for (;;) {
    const [state] = await database.query<{ waiting: number }>(
      `select count(*)::int as waiting from animus.work_items where faculty = 'parent' and state = 'waiting'`,
    );
    if (state!.waiting === total) return;
    await systemClock.sleep(200);
  }
}

async function measure(): Promise<{ readonly heap: number; readonly foci: number }> {
  const [row] = await db.query<{ foci: number }>(
    `select count(*)::int as foci from animus.work_items where state in ('claimed', 'running')`,
  );
  for (let round = 0; round < 5; round++) {
    collect();
    await systemClock.sleep(100);
  }
  return { heap: process.memoryUsage().heapUsed, foci: row!.foci };
}

function mib(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
