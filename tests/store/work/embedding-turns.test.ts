import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  beginEmbedding,
  type EmbeddingPermit,
  type EmbeddingTurn,
  endEmbedding,
  extendEmbedding,
  leaveEmbedding,
} from '../../../src/store/work/embedding-turns.ts';
import { beginHeld, beginLimited, limit, recordCost, settled } from '../../support/budgets.ts';
import { testDatabase } from '../../support/database.ts';
import { fakeDatabaseClock } from '../../support/database-clock.ts';

const COST = { usd: 0.4, tokens: 1000 };
const NOTHING = { provider: 'p', model: 'e', tokens: 0, costUsd: 0 };
const PAID = { provider: 'p', model: 'e', tokens: 800, costUsd: 0.25 };

const daemon = (model = `p/${randomUUID()}`): EmbeddingTurn => ({ daemonId: randomUUID(), model });
const heldBy = (begun: EmbeddingPermit) => (begun.permit === 'go' ? begun.held : null);

describe('the embeddings of memories are made', () => {
  const target = testDatabase();
  let clock: Awaited<ReturnType<typeof fakeDatabaseClock>>;
  beforeAll(async () => {
    clock = await fakeDatabaseClock(target.database, '2026-11-22T10:00:00Z');
  });

  test('by one daemon at a time for a model, until it leaves or its time is over', async () => {
    const db = target.database;
    const one = daemon();
    const other = { ...one, daemonId: randomUUID() };
    expect(await beginEmbedding(db, one, 60, COST)).toMatchObject({ permit: 'go' });
    expect(await beginEmbedding(db, other, 60, COST)).toEqual({ permit: 'busy', seconds: 60 });
    expect(await beginEmbedding(db, daemon(), 60, COST)).toMatchObject({ permit: 'go' });
    // It goes on, and that extends its time.
    await clock.set('+50 seconds');
    expect(await beginEmbedding(db, one, 60, COST)).toMatchObject({ permit: 'go' });
    expect(await beginEmbedding(db, other, 60, COST)).toEqual({ permit: 'busy', seconds: 60 });
    await leaveEmbedding(db, other);
    expect(await beginEmbedding(db, other, 60, COST)).toMatchObject({ permit: 'busy' });
    await leaveEmbedding(db, one);
    expect(await beginEmbedding(db, other, 60, COST)).toMatchObject({ permit: 'go' });
    // During a long request, too; but not once another has taken over.
    expect(await extendEmbedding(db, other, 90)).toBe(true);
    expect(await extendEmbedding(db, one, 90)).toBe(false);
    expect(await beginEmbedding(db, one, 60, COST)).toEqual({ permit: 'busy', seconds: 90 });
    await clock.set('+30 seconds');
    // Killed: nobody has to leave.
    await clock.set('+60 seconds');
    expect(await beginEmbedding(db, one, 60, COST)).toMatchObject({ permit: 'go' });
  });

  test('by exactly one of many that ask at once', async () => {
    const { model } = daemon();
    const begun = await Promise.all(
      Array.from({ length: 20 }, () => beginEmbedding(target.database, { daemonId: randomUUID(), model }, 60, COST)),
    );
    expect(begun.filter(({ permit }) => permit === 'go')).toHaveLength(1);
  });

  test('by none for a while after a failure, and longer after each further one', async () => {
    const db = target.database;
    const one = daemon();
    const other = { ...one, daemonId: randomUUID() };
    const fail = async (delayMs = 0) => {
      expect(await beginEmbedding(db, one, 60, COST)).toMatchObject({ permit: 'go' });
      return endEmbedding(db, one, [], NOTHING, { problem: 'it is down', delayMs });
    };
    expect(await fail()).toBe(5);
    expect(await beginEmbedding(db, one, 60, COST)).toEqual({ permit: 'resting', seconds: 5 });
    expect(await beginEmbedding(db, other, 60, COST)).toEqual({ permit: 'resting', seconds: 5 });
    await clock.set('+5 seconds');
    expect(await fail()).toBe(10);
    await clock.set('+10 seconds');
    expect(await fail(90_000)).toBe(90);
    for (const seconds of [40, 80, 160, 320, 600, 600]) {
      await clock.set('+10 minutes');
      expect(await fail()).toBe(seconds);
    }
    await clock.set('+10 minutes');
    await beginEmbedding(db, one, 60, COST);
    expect(await endEmbedding(db, one, [], PAID)).toBeNull();
    expect(await beginEmbedding(db, one, 60, COST)).toMatchObject({ permit: 'go' });
    expect(await fail()).toBe(5);
  });

  test('by none while everything is paused', async () => {
    const db = target.database;
    await db.query('select animus.pause()');
    expect(await beginEmbedding(db, daemon(), 60, COST)).toEqual({ permit: 'paused' });
    await db.query('select animus.resume()');
    await db.query(`select animus.pause('engineer')`);
    expect(await beginEmbedding(db, daemon(), 60, COST)).toMatchObject({ permit: 'go' });
  });

  test('at a cost that is recorded, and belongs to no faculty', async () => {
    const db = target.database;
    const one = daemon();
    await db.query('delete from animus.spend_calls');
    await beginEmbedding(db, one, 60, COST);
    await endEmbedding(db, one, [], PAID);
    await endEmbedding(db, one, [], NOTHING);
    expect(
      await db.query(
        'select faculty, model, operation, usd::float8 as usd, input_tokens::int as tokens from animus.spend_calls',
      ),
    ).toEqual([{ faculty: '(memory)', model: 'p/e', operation: 'embedding', usd: 0.25, tokens: 800 }]);
  });
});

describe('limits for all work', () => {
  const target = testDatabase();

  test('count what embeddings cost, and stop them before they are passed', async () => {
    const db = target.database;
    await limit(db, 'appliance', null, 1, { period: 'day' });
    await limit(db, 'appliance', null, 10_000, { period: 'month', unit: 'tokens' });
    const one = daemon();
    const begun = await beginEmbedding(db, one, 60, COST);
    await endEmbedding(db, one, heldBy(begun), PAID);
    const again = await beginEmbedding(db, one, 60, COST);
    // The answer never came, and may have been paid for.
    expect(again.permit).toBe('go');
    // What is left is less than a third request may cost.
    expect(await beginEmbedding(db, one, 60, COST)).toMatchObject({
      permit: 'budget',
      message: expect.stringMatching(
        /the limit of 1 USD for all work on \d{4}-\d\d-\d\d \(UTC\) would be exceeded: 0\.65 spent so far, and the next request may cost 0\.4/,
      ),
    });
    // Work counts what embeddings have cost, and the other way round.
    const work = await beginLimited(db, 'clerk');
    expect(await beginHeld(db, work, 1, 0.4)).toMatchObject({ permit: 'budget' });
    expect(await beginHeld(db, work, 1, 0.3, 10)).toMatchObject({ permit: 'go' });
    expect(await beginEmbedding(db, one, 60, { usd: 0.1, tokens: 1 })).toEqual({ permit: 'budget_busy' });
    await recordCost(db, work, 1, 0.05, 10);
    const last = await beginEmbedding(db, one, 60, { usd: 0.3, tokens: 1 });
    expect(last.permit).toBe('go');
    await endEmbedding(db, one, heldBy(last), NOTHING);
    expect(await spentBy(db, 'usd')).toBeCloseTo(0.25 + 0.4 + 0.05, 6);
    expect(await spentBy(db, 'tokens')).toBe(800 + 1000 + 10);
  });

  test('in USD cannot be kept by a model without a price', async () => {
    expect(await beginEmbedding(target.database, daemon(), 60, { usd: null, tokens: 1 })).toMatchObject({
      permit: 'budget',
      message: expect.stringContaining('cannot be kept: the embedding model has no price'),
    });
  });
});

describe('many daemons', () => {
  const target = testDatabase();

  test('never pass a limit together, and all that they hold comes back', async () => {
    const db = target.database;
    await limit(db, 'appliance', null, 2, { period: 'day' });
    let spent = 0;
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        const one = daemon();
        for (let round = 0; round < 10; round += 1) {
          const begun = await beginEmbedding(db, one, 60, { usd: 0.1, tokens: 10 });
          if (begun.permit !== 'go') continue;
          const costUsd = round % 3 === 0 ? 0 : 0.07;
          spent += costUsd;
          await endEmbedding(db, one, begun.held, { ...PAID, tokens: costUsd === 0 ? 0 : 10, costUsd });
        }
      }),
    );
    expect(spent).toBeGreaterThan(1.5);
    expect(spent).toBeLessThanOrEqual(2);
    expect(await settled(db, 'appliance', '')).toBeCloseTo(spent, 6);
  });
});

async function spentBy(db: ReturnType<typeof testDatabase>['database'], unit: string): Promise<number> {
  await db.query('select animus.settle_budgets($1)', [randomUUID()]);
  await db.query(`update animus.budget_slices set used_at = used_at - interval '1 hour'`);
  await db.query('select animus.return_slices($1)', [randomUUID()]);
  const [row] = await db.query<{ spent: number; held: number }>(
    `select spent::float8 as spent, held::float8 as held from animus.budget_accounts where scope = 'appliance' and unit = $1`,
    [unit],
  );
  expect(row!.held).toBe(0);
  return row!.spent;
}
