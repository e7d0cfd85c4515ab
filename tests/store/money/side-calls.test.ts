/** Promise: a call that is not a turn counts under its own model and for what it was for, also while it is under way and when it is lost. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { readSpend } from '../../../src/features/budgets/spend.ts';
import { beginSideCall, holdEmbedding, loseTurn } from '../../../src/store/transcript/budgeted-turns.ts';
import { recordSideCall } from '../../../src/store/transcript/turns.ts';
import { beginLimited } from '../../support/budgets.ts';
import { testDatabase } from '../../support/database.ts';
import { beginFor, COUNTED_ANSWER, recordAfter, SUMMARY } from '../../support/lost-requests.ts';

const pg = testDatabase();
const DAYS = { since: '2000-01-01', until: null };

async function withTurn() {
  const name = `f${randomUUID()}`;
  const work = await beginLimited(pg.database, name);
  await beginFor(pg.database, work, 1, 0.1);
  await recordAfter(pg.database, work, 1, 0, 0.1);
  return { work, name };
}

const reserved = () => ({ usd: 0.5, tokens: 7, request: randomUUID() });

async function costs(scope: string, subject: string) {
  const [row] = await pg.database.query<{ lost: number; held: number }>(
    'select lost_usd::float8 as lost, held_usd::float8 as held from animus.costs($1, $2)',
    [scope, subject],
  );
  return row!;
}

/** What the spend says of the lost requests of a faculty. */
const lostBy = (faculty: string) =>
  pg.database.query(
    `select provider, model, operation, lost_requests::int as requests, lost_usd::float8 as usd
       from animus.spend_details where faculty = $1 and lost_requests > 0`,
    [faculty],
  );

describe('a call that is not a turn', () => {
  test('is told under the model that was asked, if it is an embedding', async () => {
    const { work, name } = await withTurn();
    const provider = `e${randomUUID()}`;
    const before = await costs('operation', 'embedding');
    await holdEmbedding(pg.database, work.key, reserved(), `${provider}/emb`);
    expect(await costs('provider', provider)).toEqual({ lost: 0, held: 0.5 });
    expect(await costs('model', `${provider}/emb`)).toEqual({ lost: 0, held: 0.5 });
    expect((await costs('operation', 'embedding')).held - before.held).toBeCloseTo(0.5, 9);
    await loseTurn(pg.database, work.key, 0, 1);
    const lost = { provider, model: `${provider}/emb`, operation: 'embedding', requests: 1, usd: 0.5 };
    expect(await lostBy(name)).toEqual([lost]);
    expect(await costs('provider', provider)).toEqual({ lost: 0.5, held: 0 });
  });

  test('is told under the model that was asked, if it is a summary, and under that which has answered in the end', async () => {
    const { work, name } = await withTurn();
    await beginSideCall(pg.database, work.key, reserved(), SUMMARY);
    await loseTurn(pg.database, work.key, 0, 1);
    const lost = { provider: 'p', model: SUMMARY.model, operation: 'summary', requests: 1, usd: 0.5 };
    expect(await lostBy(name)).toEqual([lost]);
    await beginSideCall(pg.database, work.key, reserved(), SUMMARY);
    const answer = { ...COUNTED_ANSWER, provider: 'q', model: 'fallback', lost: 1 };
    await recordSideCall(pg.database, work.key, answer, 0.05);
    const more = { ...lost, provider: 'q', model: 'q/fallback' };
    expect((await lostBy(name)).sort((a, b) => String(a['model']).localeCompare(String(b['model'])))).toEqual([
      lost,
      more,
    ]);
  });

  test('before the first turn leaves nothing to that turn', async () => {
    const name = `f${randomUUID()}`;
    const work = await beginLimited(pg.database, name);
    await holdEmbedding(pg.database, work.key, reserved(), 'e/emb');
    await loseTurn(pg.database, work.key, 0, 1);
    await beginFor(pg.database, work, 1, 0.5);
    await recordAfter(pg.database, work, 1, 1, 0.1);
    expect((await lostBy(name)).map(({ operation }) => operation).sort()).toEqual(['embedding', 'turn']);
  });
});

describe('a lost embedding of memories without a price', () => {
  const begin = async (model: string, usd: number | null) => {
    const daemon = randomUUID();
    const [row] = await pg.database.query<{ begun: { permit: string; held: unknown } }>(
      `select animus.begin_embedding($1, $2, '30 s', $3, 10) as begun`,
      [daemon, model, usd],
    );
    expect(row!.begun.permit).toBe('go');
    await pg.database.query(`update animus.embedders set until = until - interval '1 hour' where model = $1`, [model]);
    await pg.database.query('select animus.settle_budgets($1)', [randomUUID()]);
    return { daemon, held: JSON.stringify(row!.begun.held) };
  };
  const told = async (model: string) => {
    const { rows } = await readSpend(pg.database, ['model'], DAYS, 1000);
    const { usd, lost_requests, unpriced_calls } = rows.find((row) => row.model === model)!;
    return { usd, lost_requests, unpriced_calls };
  };

  test('has no known cost, and one that is free costs nothing', async () => {
    const [unknown, free] = [`o/${randomUUID()}`, `o/${randomUUID()}`];
    await begin(unknown, null);
    expect(await told(unknown)).toEqual({ usd: null, lost_requests: 1, unpriced_calls: 1 });
    await begin(free, 0);
    expect(await told(free)).toEqual({ usd: 0, lost_requests: 1, unpriced_calls: 0 });
  });

  test('is not lost if its daemon was only slow', async () => {
    const model = `o/${randomUUID()}`;
    const { daemon, held } = await begin(model, null);
    const call = { provider: 'o', model: model.slice(2), tokens: 10, cost_usd: null };
    await pg.database.query('select animus.end_embedding($1, $2, $3::json, $4::json)', [
      daemon,
      model,
      held,
      JSON.stringify(call),
    ]);
    expect(await told(model)).toEqual({ usd: null, lost_requests: 0, unpriced_calls: 1 });
  });
});
