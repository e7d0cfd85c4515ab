import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { searchMemories } from '../../../src/store/memory/search-memories.ts';
import { beginEmbedding } from '../../../src/store/work/embedding-turns.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';
import { embeddedDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import {
  asked,
  counts,
  forgetAll,
  passTime,
  QUICK,
  remember,
  serveModel,
  spread,
  startBackfill,
  whenStored as stored,
  texts,
} from './backfills.ts';

const target = embeddedDatabase();
const whenStored = (count: number) => stored(target.database, count);
beforeEach(() => forgetAll(target.database));

describe('memories get their embeddings', () => {
  test('in batches, at a recorded cost, and are found by them', async () => {
    const db = target.database;
    const all = texts(10);
    await remember(db, all);
    const server = await serveModel();
    const { problems } = await startBackfill(db, server, { batchSize: 4 });
    await whenStored(10);
    expect(server.requests.map(({ json }) => (json?.['input'] as string[] | undefined)?.length)).toEqual([4, 4, 2]);
    const embedding = { model: 'p/e', vector: spread(all[7]!) };
    const found = await searchMemories(db, { viewer: null, text: 'zzz', embedding, limit: 1 });
    expect(found).toMatchObject({ byVectors: true, memories: [{ content: all[7], vector_rank: 1, text_rank: null }] });
    // Later ones, too.
    await remember(db, texts(1));
    await whenStored(11);
    expect(problems).toEqual([]);
    const tokens = asked(server).reduce((sum, text) => sum + Math.ceil(text.length / 4), 0);
    expect(
      await db.query(
        `select faculty, model, operation, sum(input_tokens)::int as tokens, sum(usd)::float8 as usd from animus.spend_calls group by 1, 2, 3`,
      ),
    ).toEqual([{ faculty: '(memory)', model: 'p/e', operation: 'embedding', tokens, usd: tokens / 1000 }]);
  });

  test('each bought once, by many daemons', async () => {
    const db = target.database;
    const all = texts(120);
    await remember(db, all);
    const server = await serveModel([{ delayMs: 5 }]);
    const daemons = await Promise.all([1, 2, 3, 4].map(() => startBackfill(db, server, { batchSize: 10 })));
    // Whoever goes on must not repeat what another has done.
    await eventually('half of them', async () => ((await counts(db)).stored >= 60 ? true : null));
    await daemons[0]!.stop();
    await daemons[1]!.stop();
    await whenStored(120);
    expect(asked(server).toSorted()).toEqual(all.toSorted());
  });

  test('each bought once, although a daemon slept before it asked, and another one has taken over', async () => {
    const { database } = target;
    const all = texts(5);
    await remember(database, all);
    const server = await serveModel();
    const [asleep, awake] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let aheadMs = 0;
    const query: typeof database.query = async (sql, params) => {
      const rows = await database.query<never>(sql, params);
      if (aheadMs === 0 && sql.includes('begin_embedding')) {
        aheadMs = 120_000;
        asleep.resolve();
        await awake.promise;
      }
      return rows;
    };
    await startBackfill({ ...database, query }, server, {}, { ...QUICK, nowMs: () => Date.now() + aheadMs });
    await asleep.promise;
    await database.query('update animus.embedders set until = animus.now()');
    await startBackfill(database, server);
    await whenStored(5);
    awake.resolve();
    const more = texts(1);
    await remember(database, more);
    await whenStored(6);
    expect(asked(server).toSorted()).toEqual([...all, ...more].toSorted());
  });

  test('again where the text has changed', async () => {
    const db = target.database;
    const [id] = await remember(db, ['the first text']);
    const server = await serveModel();
    await startBackfill(db, server);
    await whenStored(1);
    await db.query(`select animus.update_memory($1, 'the second text')`, [id]);
    await eventually('asked again', () => (asked(server).includes('the second text') ? true : null));
    await whenStored(1);
  });

  test('also from a server that refuses large batches', async () => {
    await remember(target.database, texts(9));
    const server = await serveModel([{}], { maxTexts: 2 });
    await startBackfill(target.database, server);
    await whenStored(9);
  });
});

test('only links that were made are logged', async () => {
  const db = target.database;
  const server = await serveModel([{}], { embed: (text) => spread(text.startsWith('deploy') ? 'deploy' : text) });
  const said: object[] = [];
  const log = { ...silentLog, info: (fields: object) => void said.push(fields) };
  const { stop } = await startBackfill(db, server, {}, QUICK, log);
  await remember(db, ['deploy to staging first', 'apples ripen in autumn']);
  await whenStored(2);
  await remember(db, ['deploy to staging at first']);
  await whenStored(3);
  await stop();
  expect(said.filter((fields) => 'links' in fields)).toEqual([{ links: 1 }]);
});

describe('a text that the model refuses', () => {
  test('is left alone until it changes, and stops no other', async () => {
    const db = target.database;
    await remember(db, [...texts(3), 'poison in the middle', ...texts(3), 'more poison']);
    const server = await serveModel([{}], { forbidden: 'poison' });
    const { problems } = await startBackfill(db, server);
    await eventually('the rest', async () => ((await counts(db)).missing === 0 ? true : null));
    expect(await counts(db)).toEqual({ stored: 6, refused: 2, missing: 0 });
    const requests = server.requests.length;
    await remember(db, texts(1));
    await whenStored(7);
    expect(server.requests).toHaveLength(requests + 1);
    expect(problems).toEqual([]);
    await db.query(`select animus.update_memory(id, 'harmless') from animus.memories where content = 'more poison'`);
    await whenStored(8);
  });

  test('is not to blame where the model refuses everything', async () => {
    const db = target.database;
    await remember(db, texts(3));
    const server = await serveModel([{ status: 400, message: 'this model makes no embeddings' }]);
    const { problems } = await startBackfill(db, server);
    await eventually('a problem', () => (problems.length > 0 ? true : null));
    expect(problems[0]).toContain('this model makes no embeddings');
    expect(await counts(db)).toEqual({ stored: 0, refused: 0, missing: 3 });
  });
});

describe('a failure', () => {
  test('is reported, and no daemon asks before the back-off is over', async () => {
    const db = target.database;
    await remember(db, texts(2));
    const server = await serveModel([{ status: 500, message: 'out of order' }, {}]);
    const one = await startBackfill(db, server);
    const other = await startBackfill(db, server);
    await eventually('a problem', () => (one.problems.length + other.problems.length > 0 ? true : null));
    const [row] = await db.query<{ rest: number; problem: string }>(
      'select extract(epoch from resume_at - problem_at)::int as rest, problem from animus.embedders',
    );
    expect(row).toEqual({ rest: 5, problem: expect.stringContaining('out of order') });
    expect(server.requests).toHaveLength(1);
    await passTime(db);
    await whenStored(2);
    await eventually('it is over', () => ([...one.problems, ...other.problems].includes(null) ? true : null));
  });

  test('waits as long as the provider asks', async () => {
    const db = target.database;
    await remember(db, texts(1));
    const server = await serveModel([{ status: 429, headers: { 'retry-after': '300' } }]);
    const { problems } = await startBackfill(db, server);
    await eventually('a problem', () => (problems.length > 0 ? true : null));
    const [row] = await db.query(
      'select extract(epoch from resume_at - problem_at)::int as rest from animus.embedders',
    );
    expect(row).toEqual({ rest: 300 });
  });

  test('of one request keeps what came before it', async () => {
    const db = target.database;
    await remember(db, texts(5));
    // Refused as a whole, then in halves: the second half fails.
    const server = await serveModel([{ status: 400 }, {}, { status: 500 }]);
    await startBackfill(db, server);
    await whenStored(3);
    await passTime(db);
  });

  test('is none if the daemon stops: another goes on at once', async () => {
    const db = target.database;
    await remember(db, texts(2));
    const server = await serveModel((_, index) => (index === 0 ? { delayMs: 60_000 } : {}));
    const one = await startBackfill(db, server);
    await server.received(1);
    await one.stop();
    expect(await db.query('select failures, problem from animus.embedders')).toEqual([{ failures: 0, problem: null }]);
    await startBackfill(db, server);
    await whenStored(2);
  });
});

test('a daemon that was killed keeps others off until its time is over', async () => {
  const db = target.database;
  await remember(db, texts(2));
  await beginEmbedding(db, { daemonId: randomUUID(), model: 'p/e' }, 180, { usd: 0, tokens: 0 });
  const server = await serveModel();
  await startBackfill(db, server);
  await eventually('it has looked', async () => {
    const [row] = await db.query<{ ready: boolean }>('select exists (select from animus.memory_models) as ready');
    return row!.ready || null;
  });
  expect(server.requests).toHaveLength(0);
  await passTime(db);
  await whenStored(2);
});

test('memories that somebody has locked are not bought again', async () => {
  const db = target.database;
  await remember(db, texts(3));
  await db.query('alter function animus.store_embeddings rename to store_embeddings_really');
  await db.query(
    `create function animus.store_embeddings(text, int, uuid[], text[], text[]) returns int language sql as 'select 0'`,
  );
  const server = await serveModel();
  await startBackfill(db, server);
  await server.received(1);
  await eventually('it is recorded', async () =>
    (await db.query('select 1 from animus.spend_calls')).length > 0 ? true : null,
  );
  await db.query('drop function animus.store_embeddings');
  await db.query('alter function animus.store_embeddings_really rename to store_embeddings');
  await whenStored(3);
  expect(server.requests).toHaveLength(1);
});
