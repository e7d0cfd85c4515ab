/**
 * What limits cost: `npm run bench -- tests/bench/engage/budgets.ts [--turns N]`. A scripted focus makes one call a turn: without limits, with one of
 * another faculty, with one of the item, and with four. A turn without limits whose calls only read is one statement; with them it is three.
 */
import { parseArgs } from 'node:util';
import { createJournal } from '../../../src/engage/calls/journal.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { startTestFocus, testTool } from '../../support/focus.ts';
import { engage } from '../../support/run-loop.ts';
import { benchDatabase, median } from '../support/bench-database.ts';
import { figure, report } from '../support/report.ts';
import { postgresCpuMs } from './postgres-cpu.ts';

const { values } = parseArgs({ options: { turns: { type: 'string' } } });
const turns = Number(values.turns ?? 100);
const ROUNDS = 3;
const CASES = ['no limits', 'one elsewhere', 'of the item', 'four'] as const;
type Case = (typeof CASES)[number];

const { db, close } = await benchDatabase();
try {
  console.log('limits           ms per turn  statements  log, bytes  Node, ms CPU  Postgres, ms CPU');
  for (const one of CASES) await measure(one);
} finally {
  await close();
}

async function measure(one: Case): Promise<void> {
  await runOnce(one);
  const rounds: Awaited<ReturnType<typeof runOnce>>[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await runOnce(one));
  const figureOf = (name: keyof (typeof rounds)[number]) => figure(median(rounds.map((each) => each[name])));
  const figures = {
    ms: figureOf('ms'),
    statements: figureOf('statements'),
    'log, bytes': figureOf('bytes'),
    'Node, ms CPU': figureOf('node'),
    'Postgres, ms CPU': figureOf('postgres'),
  };
  console.log([one.padEnd(17), ...Object.values(figures).map((text) => text.padStart(11))].join(' '));
  report({ what: 'a turn with a call', who: one, figures });
}

async function runOnce(one: Case) {
  await db.query('delete from animus.budget_limits');
  const script = Array.from(
    { length: turns },
    (_, n) => `[[answer]]\nturn = ${n + 1}\ncall = [{ tool = "touch", input = { n = ${n} } }]\n`,
  );
  const focus = await startTestFocus(db, {
    script: `${script.join('')}[[answer]]\nturn = ${turns + 1}\ntext = "done"\n`,
    tools: [testTool('touch', async () => ({ content: 'touched' }))],
  });
  const means = focus.means();
  await limit(one, focus.key.workItemId, means.faculty);
  let statements = 0;
  const counted: Database = {
    ...db,
    query: (...args: Parameters<Database['query']>) => {
      statements += 1;
      return db.query(...args);
    },
  } as Database;
  const wal = async () =>
    Number(
      (await db.query<{ at: string }>(`select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::text as at`))[0]!.at,
    );
  const before = { wal: await wal(), postgres: postgresCpuMs(), node: process.cpuUsage(), at: performance.now() };
  const end = await engage({
    ...means,
    db: counted,
    journal: createJournal(counted, focus.key),
    model: { ...means.model, maxCostUsd: () => 0.02 },
    maxTurns: turns + 2,
  });
  if (end.kind !== 'done') throw new Error(JSON.stringify(end));
  const { user, system } = process.cpuUsage(before.node);
  return {
    ms: (performance.now() - before.at) / turns,
    statements: statements / turns,
    bytes: ((await wal()) - before.wal) / turns,
    node: (user + system) / 1000 / turns,
    postgres: (postgresCpuMs() - before.postgres) / turns,
  };
}

async function limit(one: Case, id: string, faculty: string): Promise<void> {
  const set = (...args: (string | number | null)[]) => db.query('select animus.set_budget($1, $2, $3, $4, $5)', args);
  if (one === 'one elsewhere') await set('faculty', 'elsewhere', 'day', 'usd', 1000);
  if (one === 'of the item' || one === 'four') await set('item', id, 'none', 'usd', 1000);
  if (one !== 'four') return;
  await set('faculty', faculty, 'day', 'usd', 1000);
  await set('faculty', faculty, 'month', 'tokens', 1_000_000_000);
  await set('appliance', null, 'month', 'usd', 100_000);
}
