import { beforeEach, describe, expect, test } from 'vitest';
import { limit } from '../../support/budgets.ts';
import { embeddedDatabase, testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { forgetAll, remember, serveModel, startBackfill, whenStored as stored, texts } from './backfills.ts';

const target = embeddedDatabase();
const whenStored = (count: number) => stored(target.database, count);
beforeEach(() => forgetAll(target.database));

describe('nothing is bought', () => {
  test('while everything is paused', async () => {
    const db = target.database;
    await db.query('select animus.pause()');
    await remember(db, texts(1));
    const server = await serveModel();
    const { problems } = await startBackfill(db, server);
    await remember(db, texts(1));
    expect(server.requests).toHaveLength(0);
    await db.query('select animus.resume()');
    await whenStored(2);
    expect(problems).toEqual([]);
  });

  test('beyond a limit for all work, and the problem names it', async () => {
    const db = target.database;
    await remember(db, texts(30));
    await limit(db, 'appliance', null, 0.2, { period: 'day' });
    const server = await serveModel();
    const { problems } = await startBackfill(db, server, { batchSize: 2 });
    await eventually('a problem', () => (problems.length > 0 ? true : null));
    expect(problems[0]).toMatch(/^memories get no embeddings: the limit of 0\.2 USD for all work .* would be exceeded/);
    const [spent] = await db.query<{ usd: number }>(
      'select coalesce(sum(usd), 0)::float8 as usd from animus.spend_calls',
    );
    expect(spent!.usd).toBeLessThanOrEqual(0.2);
    await db.query(`select animus.remove_budget('appliance', null, 'day', 'usd')`);
    await whenStored(30);
  });

  test('while a daemon that was started later has another model', async () => {
    const db = target.database;
    const server = await serveModel();
    const earlier = await startBackfill(db, server);
    await eventually('prepared', async () =>
      (await db.query('select 1 from animus.memory_models')).length > 0 ? true : null,
    );
    const later = await startBackfill(db, server, { model: 'f' });
    await remember(db, texts(2));
    await whenStored(2);
    const problem = await eventually('a problem', () => earlier.problems[0] ?? null);
    expect(problem).toContain(
      'memories have embeddings of p/f with 8 dimensions, not of p/e with 8; give all daemons the same',
    );
    expect(later.problems).toEqual([]);
    expect(new Set(server.requests.map(({ json }) => json?.['model']))).toEqual(new Set(['f']));
  });
});

describe('without pgvector', () => {
  const plain = testDatabase();

  test('nothing is bought, and the problem says that memories are searched by words', async () => {
    const db = plain.database;
    await remember(db, texts(1));
    const server = await serveModel();
    const { problems } = await startBackfill(db, server);
    const problem = await eventually('a problem', () => problems[0] ?? null);
    expect(problem).toMatch(/^memories are searched by words alone: .*pgvector/);
    expect(server.requests).toHaveLength(0);
  });
});
