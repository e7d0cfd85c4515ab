/**
 * What counting money costs: `npm run bench -- tests/bench/engage/accounting.ts [--turns N] [--calls N]`. Each figure is compared with a floor of the same run, on the same
 * connection: the least that Postgres has to do for it with bare tables. Turns and claims wait for the disk; the sums are read from `calls` calls.
 */
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { addUpSpend } from '../../../src/features/budgets/add-up-spend.ts';
import { readSpend } from '../../../src/features/budgets/spend.ts';
import { listBudgets } from '../../../src/features/budgets/store.ts';
import { fillQueue } from '../../store/work/fill-queue.ts';
import { beginHeld, beginLimited, limit, recordCost } from '../../support/budgets.ts';
import { benchDatabase, median } from '../support/bench-database.ts';
import { figure, report } from '../support/report.ts';

const { values } = parseArgs({ options: { turns: { type: 'string' }, calls: { type: 'string' } } });
const turns = Number(values.turns ?? 300);
const calls = Number(values.calls ?? 100_000);
const READS = 11;

const { db, close } = await benchDatabase(1);
try {
  await db.query('create table bare_items (id int primary key, state text not null, usd numeric not null)');
  await db.query(
    'create table bare_calls (item int not null, model text not null, day date not null, usd numeric not null)',
  );
  await db.query('create index on bare_items (state, id)');
  console.log('ms, median                                        animus   floor   ratio');
  await measureTurns('a turn without limits', async () => {});
  await measureTurns('a turn under a limit', (faculty) => limit(db, 'faculty', faculty, 1000, { period: 'day' }));
  await measureTurns('a turn under four limits', async (faculty) => {
    await limit(db, 'item', faculty, 1000);
    await limit(db, 'faculty', faculty, 1000, { period: 'day' });
    await limit(db, 'faculty', faculty, 1_000_000, { period: 'month', unit: 'tokens' });
    await limit(db, 'appliance', null, 100_000, { period: 'month' });
  });
  await measureClaims();
  await fill();
  await measureSums('not added up');
  while (((await addUpSpend(db, 10_000)).count ?? 0) > 0);
  await db.query('analyze animus.spend_sums, animus.spend_calls');
  await measureSums('added up');
} finally {
  await close();
}

/** A turn: its cost is reserved, then the answer is recorded. The floor: both in a row of the item, and a row for the call. */
async function measureTurns(what: string, set: (faculty: string) => Promise<void>): Promise<void> {
  await db.query('delete from animus.budget_limits');
  const faculty = `f${randomUUID()}`;
  await set(faculty);
  const work = await beginLimited(db, faculty);
  await db.query(`insert into bare_items values (0, 'running', 0) on conflict do nothing`);
  let turn = 0;
  const ours = async () => {
    turn += 1;
    await beginHeld(db, work, turn, 0.02, 1000);
    await recordCost(db, work, turn, 0.01, 500);
  };
  await compare(what, turns, ours, async () => {
    await db.query('update bare_items set usd = usd + 0.02 where id = 0');
    await db.query(
      `with call as (insert into bare_calls values (0, 'p/m', current_date, 0.01)) update bare_items set usd = usd - 0.01 where id = 0`,
    );
  });
}

/** A claim and the first row of a focus under a limit, compared with the same without one, and with a bare queue. */
async function measureClaims(): Promise<void> {
  for (const limited of [false, true]) {
    await db.query('delete from animus.budget_limits');
    const faculty = `f${randomUUID()}`;
    if (limited) await limit(db, 'faculty', faculty, 1000, { period: 'day' });
    await db.query(`delete from bare_items`);
    await db.query(`insert into bare_items select n, 'queued', 0 from generate_series(1, $1::int) n`, [turns + 10]);
    const what = `submit, claim and focus ${limited ? 'under a limit' : 'without limits'}`;
    const ours = async () => void (await beginLimited(db, faculty));
    await compare(what, turns, ours, async () => {
      await db.query(`insert into bare_items select coalesce(max(id), 0) + 1, 'queued', 0 from bare_items`);
      await db.query(
        `update bare_items set state = 'running' where id = (select id from bare_items where state = 'queued' order by id limit 1 for update skip locked)`,
      );
      await db.query(`insert into bare_calls values (0, 'focus', current_date, 0)`);
    });
  }
}

/** Calls of 20 faculties, 5 models and 30 days, beside other items. */
async function fill(): Promise<void> {
  await fillQueue(db, { queued: { crowd: calls / 2 }, resolved: calls / 2 });
  const call = `'f' || n % 20, 'p/m' || n % 5, current_date - n % 30, n * 0.00000045`;
  await db.query(
    `insert into animus.spend_calls (faculty, model, day, usd, input_tokens, output_tokens, operation, submitter, source)
     select ${call}, 100, 10, 'turn', 'ada', 'cli' from generate_series(1, $1::int) n`,
    [calls],
  );
  await db.query('truncate bare_calls');
  await db.query(
    `insert into bare_calls select n % 20, 'p/m' || n % 5, current_date - n % 30, n * 0.00000045 from generate_series(1, $1::int) n`,
    [calls],
  );
  await limit(db, 'faculty', 'f1', 1000, { period: 'day' });
  await limit(db, 'appliance', null, 1000, { period: 'month' });
  await db.query('vacuum analyze');
}

async function measureSums(how: string): Promise<void> {
  const of = async (text: string) => void (await db.query(text));
  const cases: readonly (readonly [string, () => Promise<unknown>, string])[] = [
    [
      'costs of a faculty today',
      () => of(`select * from animus.costs('faculty', 'f1', current_date)`),
      'where item = 1 and day = current_date',
    ],
    ['costs of a faculty', () => of(`select * from animus.costs('faculty', 'f1')`), 'where item = 1'],
    ['costs of all work', () => of(`select * from animus.costs('appliance')`), ''],
    ['spend by model', () => readSpend(db, ['model'], { since: '2000-01-01', until: null }, 20), 'group by model'],
    ['budget list, two limits', () => listBudgets(db), 'where day >= current_date'],
  ];
  for (const [what, ours, floor] of cases)
    await compare(`${what}, ${calls} calls ${how}`, READS, ours, () => of(`select sum(usd) from bare_calls ${floor}`));
}

/** Runs both in turns, so that what else the machine does meets both alike. */
async function compare(
  what: string,
  rounds: number,
  ours: () => Promise<unknown>,
  floor: () => Promise<unknown>,
): Promise<void> {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds + 5; round++) {
    for (const [at, run] of [ours, floor].entries()) {
      const before = performance.now();
      await run();
      if (round >= 5) times[at as 0 | 1].push(performance.now() - before);
    }
  }
  const [animus, least] = [median(times[0]), median(times[1])];
  const figures = { animus: figure(animus), floor: figure(least), ratio: figure(animus / least) };
  console.log([what.padEnd(48), ...Object.values(figures).map((text) => text.padStart(8))].join(''));
  report({ what, who: 'animus, compared with bare tables', figures });
}
