/** Promise: daemons that are killed and frozen at any moment never spend more than a limit allows, and use nearly all of it. */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Database } from '../../src/store/sql/database.ts';
import { makeSite, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { text, toolUse } from '../support/model-server/anthropic.ts';
import { startModelServer } from '../support/model-server/either-wire.ts';
import { stateOf } from './work-state.ts';

const CONFIG = '[daemon]\nlease_seconds = 5\npoll_seconds = 0.5\n';
/** At 3 and 15 USD per million tokens: what the server bills for each request that it answers. */
const USAGE = { input_tokens: 2000, output_tokens: 300 };
const BILL = (2000 * 3 + 300 * 15) / 1_000_000;

const faculty = (budget: string, engage = '') => `[faculty]
name = "clerk"
isolation = "none"
[faculty.engage]
model = "claude-sonnet-4-5"
system_prompt = "You take notes."
max_tokens = 400
${engage}
[faculty.budget]
${budget}
`;

/** Answers each request with a note, and the third of a focus with the end. */
async function billingServer() {
  const billed = { requests: 0 };
  const server = await startModelServer((body) => {
    billed.requests += 1;
    const { length } = body['messages'] as readonly unknown[];
    const call = toolUse(`n${length}`, 'ledger_append', { type: 'note', content: `note ${length}` });
    return { content: length > 4 ? [text('Done.')] : [call], usage: USAGE };
  });
  onTestFinished(() => server.close());
  return { ...server, billed };
}

async function openItems(db: Database): Promise<number> {
  const [row] = await db.query<{ n: number }>(
    'select count(*)::int as n from animus.work_items where resolved_at is null',
  );
  return row!.n;
}

interface Account {
  readonly spent: number;
  readonly held: number;
  readonly left: number;
}

/** The account of the faculty, when nothing is held any more. */
function settledAccount(db: Database): Promise<Account> {
  return eventually(
    'everything is settled',
    async () => {
      const [row] = await db.query<Account>(
        `select a.spent::float8 as spent, a.held::float8 as held,
                ((select count(*) from animus.budget_slices) + (select count(*) from animus.budget_holds))::int as left
           from animus.budget_accounts a where a.scope = 'faculty'`,
      );
      return row!.held === 0 && row!.left === 0 ? row! : null;
    },
    120,
  );
}

describe('a limit of a day', () => {
  const pg = testDatabase();

  it('is never passed by two daemons that are killed again and again, and is used to the last turn', async () => {
    const limit = 2;
    const { url, billed } = await billingServer();
    const site = makeSite({
      databaseUrl: pg.connectionString,
      modelUrl: url,
      config: CONFIG,
      faculties: { clerk: faculty(`max_usd_per_day = ${limit}\non_exceeded = "die"`) },
    });
    const start = () => startDaemon(site, ['--max-concurrent', '6']);
    let daemons = await Promise.all([start(), start()]);
    await pg.database.query(
      `insert into animus.work_items (faculty, description) select 'clerk', 'note ' || i from generate_series(1, 120) i`,
    );
    for (const requests of [20, 45, 70, 95, 120]) {
      await eventually('some more requests', () => (billed.requests >= requests ? true : null), 60);
      const [victim, other] = daemons;
      await victim.kill('SIGKILL');
      daemons = [other, await start()];
    }
    await eventually('all items have ended', async () => ((await openItems(pg.database)) === 0 ? true : null), 120);
    await Promise.all(daemons.map((daemon) => daemon.kill('SIGTERM')));
    await pg.database.query(`update animus.budget_slices set used_at = used_at - interval '1 hour'`);
    await pg.database.query(`select animus.settle_budgets(gen_random_uuid()), animus.return_slices(gen_random_uuid())`);
    const account = await settledAccount(pg.database);
    expect(billed.requests * BILL).toBeLessThanOrEqual(limit);
    expect(account.spent).toBeLessThanOrEqual(limit);
    expect(account.spent).toBeGreaterThanOrEqual(billed.requests * BILL - 1e-6);
    // Less is left than one turn may cost.
    expect(account.spent).toBeGreaterThan(limit - 0.05);
    const [dead] = await pg.database.query<{ code: string; message: string }>(
      `select error ->> 'code' as code, error ->> 'message' as message from animus.work_items where state = 'dead' limit 1`,
    );
    expect(dead).toMatchObject({
      code: 'work.budget',
      message: expect.stringContaining('the limit of 2 USD for faculty clerk on '),
    });
  }, 300_000);
});

describe('a limit of a month', () => {
  const pg = testDatabase();

  it('is not passed by a daemon that is frozen past its leases and goes on, while another one spends the rest', async () => {
    const limit = 0.6;
    const { url, billed } = await billingServer();
    const site = makeSite({
      databaseUrl: pg.connectionString,
      modelUrl: url,
      config: CONFIG,
      faculties: { clerk: faculty(`max_usd_per_month = ${limit}\non_exceeded = "die"`) },
    });
    const frozen = await startDaemon(site, ['--max-concurrent', '6']);
    await pg.database.query(
      `insert into animus.work_items (faculty, description) select 'clerk', 'note ' || i from generate_series(1, 60) i`,
    );
    await eventually('some requests', () => (billed.requests >= 8 ? true : null), 60);
    const before = billed.requests;
    await frozen.kill('SIGSTOP');
    const other = await startDaemon(site, ['--max-concurrent', '6']);
    // Frozen in the middle of a transaction, a daemon keeps the item of that transaction locked.
    await eventually('all others have ended', async () => ((await openItems(pg.database)) <= 6 ? true : null), 120);
    expect(billed.requests).toBeGreaterThan(before);
    await frozen.kill('SIGCONT');
    await eventually('all items have ended', async () => ((await openItems(pg.database)) === 0 ? true : null), 120);
    await Promise.all([frozen, other].map((daemon) => daemon.kill('SIGTERM')));
    const account = await settledAccount(pg.database);
    expect(account.spent).toBeLessThanOrEqual(limit);
    expect(billed.requests * BILL).toBeLessThanOrEqual(limit);
  }, 300_000);
});

describe('a limit of a work item', () => {
  const pg = testDatabase();

  it('is in the first message, makes the item wait, and lets it go on where it was when an operator approves more', async () => {
    const bodies: string[] = [];
    const server = await startModelServer((body) => {
      bodies.push(JSON.stringify(body['messages']));
      const { length } = body['messages'] as readonly unknown[];
      const call = toolUse(`n${length}`, 'ledger_append', { type: 'note', content: `note ${length}` });
      return { content: length > 8 ? [text('Done.')] : [call], usage: USAGE };
    });
    onTestFinished(() => server.close());
    const site = makeSite({
      databaseUrl: pg.connectionString,
      modelUrl: server.url,
      config: CONFIG,
      faculties: { clerk: faculty('max_usd = 0.05') },
    });
    await startDaemon(site);
    const [row] = await pg.database.query<{ id: string }>(
      `insert into animus.work_items (faculty, description) values ('clerk', 'notes') returning id`,
    );
    await stateOf(pg.database, row!.id, 'waiting');
    expect(bodies[0]).toContain('this work item: 0.05 of 0.05 USD left');
    const asked = bodies.length;
    expect(asked * BILL).toBeLessThanOrEqual(0.05);
    await pg.database.query('select animus.approve($1)', [row!.id]);
    await stateOf(pg.database, row!.id, 'completed');
    // Nothing was asked twice, and every request goes on with the one before it.
    expect(bodies).toHaveLength(5);
    const [foci] = await pg.database.query('select count(*)::int as n from animus.foci where work_item_id = $1', [
      row!.id,
    ]);
    expect(foci).toEqual({ n: 1 });
  }, 180_000);
});
