// Also on the wire openai.
/** What a provider has answered in a batch counts as spent, whatever became of the work meanwhile. */
import { expect, it, onTestFinished } from 'vitest';
import { makeSite, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { text } from '../support/model-server/anthropic.ts';
import { startBatchServer } from '../support/model-server/batch-server.ts';
import { MODEL } from '../support/model-server/either-wire.ts';
import { stateOf } from './work-state.ts';

const pg = testDatabase({ anew: true });

it('an answer that no focus records, because its item was cancelled or its focus has failed, is booked once', async () => {
  const server = await startBatchServer(() => ({
    content: [text('Written.')],
    usage: { input_tokens: 1000, output_tokens: 100 },
  }));
  onTestFinished(() => server.close());
  const site = makeSite({
    modelUrl: server.url,
    databaseUrl: pg.connectionString,
    config:
      '[daemon]\nlease_seconds = 5\npoll_seconds = 0.5\n[batch]\ngather_seconds = 0.5\npoll_seconds = 0.5\nsubmit_timeout_seconds = 2\n',
    faculties: {
      scribe: `[faculty]\nname = "scribe"\n[faculty.engage]\nmodel = "${MODEL}"\nsystem_prompt = "You write."\nbatch = true\n`,
    },
  });
  server.state.finishes = false;
  await startDaemon(site);
  const rows = await pg.database.query<{ id: string }>(
    `insert into animus.work_items (faculty, description) select 'scribe', 'Write ' || n from generate_series(1, 4) n returning id`,
  );
  const [done, cancelled, late, failed] = rows.map(({ id }) => id) as [string, string, string, string];
  await eventually('all are asked', async () => ((await states()).sent === 4 ? true : null));
  // Its answer comes after its end.
  await pg.database.query('select animus.cancel_work($1)', [late]);
  // The others are answered, and not claimed before the next step.
  await pg.database.query(`select animus.pause('scribe')`);
  server.state.finishes = true;
  await eventually('all are answered', async () => ((await states()).sent === undefined ? true : null));
  await pg.database.query('select animus.cancel_work($1)', [cancelled]);
  // As fail_work leaves it when the next attempt begins from the ledger.
  await pg.database.query(
    `update animus.foci set ended_as = 'failed', ended_at = animus.now() where work_item_id = $1`,
    [failed],
  );
  await eventually('what no focus will record is withdrawn', async () =>
    (await states()).withdrawn === 3 ? true : null,
  );
  await pg.database.query(`select animus.resume('scribe')`);
  await stateOf(pg.database, done, 'completed');
  await stateOf(pg.database, failed, 'completed');

  const costs = await pg.database.query<{ id: string; cost: number; tokens: number }>(
    'select id, cost_usd::float8 as cost, input_tokens::int as tokens from animus.work_items',
  );
  const costOf = (id: string) => costs.find((row) => row.id === id)!;
  expect(costOf(done).tokens).toBe(1000);
  expect(costOf(cancelled)).toEqual({ ...costOf(done), id: cancelled });
  expect(costOf(late)).toEqual({ ...costOf(done), id: late });
  // Its second attempt asked again.
  expect(costOf(failed).cost).toBeCloseTo(2 * costOf(done).cost, 8);
  const [spend] = await pg.database.query<{ usd: number }>('select sum(usd)::float8 as usd from animus.spend');
  expect(spend!.usd).toBeCloseTo(5 * costOf(done).cost, 8);
  const [open] = await pg.database.query<{ n: number }>(
    `select count(*)::int as n from animus.batch_requests where state in ('waiting', 'sent', 'answered') or answer is not null`,
  );
  expect(open!.n).toBe(0);
}, 180_000);

async function states(): Promise<Partial<Record<string, number>>> {
  const rows = await pg.database.query<{ state: string; n: number }>(
    'select state, count(*)::int as n from animus.batch_requests group by state',
  );
  return Object.fromEntries(rows.map(({ state, n }) => [state, n]));
}
