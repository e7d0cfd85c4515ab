/** Words of work reach searches: at once as long as they are few, and for good when a daemon has written them, whatever commits late. */
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { findWork } from '../../../src/features/work/found.ts';
import { createReaders, writeWords } from '../../../src/features/work/service.ts';
import type { Queryable } from '../../../src/store/sql/database.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';
import { embeddedDatabase, testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { readPeriod } from './read-period.ts';

const server = testDatabase();
const embedded = embeddedDatabase();

async function submit(db: Queryable, description: string): Promise<string> {
  const [row] = await db.query<{ id: string }>(
    `insert into animus.work_items (faculty, description) values ('clerk', $1) returning id`,
    [description],
  );
  return row!.id;
}
const found = async (db: Queryable, q: string) => (await findWork(db, { q }, { sort: 'newest', limit: 50 })).ids;
const written = async (db: Queryable) =>
  (await db.query<{ id: string }>('select work_item_id as id from animus.work_words order by 1')).map(({ id }) => id);

/** Ends it with a ledger entry and an outcome, without a focus. */
async function complete(db: Queryable, id: string, note: string): Promise<void> {
  const [claimed] = await db.query<{ id: string; token: string }>(
    `select id, lease_token as token from animus.claim_work(gen_random_uuid(), '{"clerk": {"max": 1}}', 1, '1 hour')`,
  );
  expect(claimed!.id).toBe(id);
  await db.query(
    `insert into animus.work_ledger (work_item_id, seq, entry_type, content, created_at) values ($1, 1, 'note', $2, animus.now())`,
    [id, note],
  );
  await db.query(`select animus.complete_work($1, $2, '{"answer": "Rotterdam"}', 'It is a harbour.')`, [
    id,
    claimed!.token,
  ]);
}

const readAll = (db: Queryable, open = false) => readPeriod(db, 'words', (tx) => writeWords(tx, 2), open);

test.each([
  ['a server', () => server.database],
  ['the embedded database', () => embedded.database],
])('on %s, each word is found from the submission on, and after the end what was said then', async (_, database) => {
  const db = database();
  const id = await submit(db, `Which port's "largest"? \\ & | ! :* 北京`);
  for (const q of ['port', 'LARG', 'port largest', `port's`, '北', '"largest"?', '\\ & port', 'port:*'])
    expect(await found(db, q), q).toEqual([id]);
  expect(await found(db, 'smallest')).toEqual([]);
  await readAll(db);
  expect(await written(db)).toEqual([id]);
  expect(await found(db, 'port largest')).toEqual([id]);

  await complete(db, id, 'Compared throughput of containers');
  for (const q of ['throughput', 'rotterdam', 'harbour', 'port']) expect(await found(db, q), q).toEqual([id]);
  await readAll(db);
  for (const q of ['throughput', 'rotterdam', 'harbour', 'port']) expect(await found(db, q), q).toEqual([id]);
  const [row] = await db.query<{ has: boolean }>(`select words @@ 'throughput' as has from animus.work_words`);
  expect(row).toEqual({ has: true });
  await expect(found(db, '?! & |')).rejects.toMatchObject({ code: 'work.invalid' });

  await db.query('delete from animus.work_items');
  expect(await written(db)).toEqual([]);
});

test('what is committed late is written too: nothing is read beyond an open transaction', async () => {
  const db = server.database;
  let late = '';
  let early = '';
  await db.transaction(async (tx) => {
    late = await submit(tx, 'a late moth');
    early = await submit(db, 'an early bird');
    await readAll(db, true);
    expect(await written(db)).toEqual([]);
    expect(await found(db, 'early')).toEqual([early]);
  });
  await readAll(db);
  expect(await written(db)).toEqual([late, early].toSorted());
});

test('items that ended at one moment are all written, however few one transaction takes', async () => {
  const db = server.database;
  const ids: string[] = [];
  for (let n = 0; n < 7; n++) ids.push(await submit(db, `number ${n}`));
  await db.query('select animus.cancel_work(id) from unnest($1::uuid[]) i (id)', [ids]);
  await readAll(db);
  expect(await written(db)).toEqual(expect.arrayContaining(ids));
});

test('the service of a daemon writes them', async () => {
  const db = server.database;
  const id = await submit(db, 'a walrus');
  // Between two rounds, everything becomes old enough.
  const sleep = async () =>
    void (await db.query(
      `update animus.periods_read set asked_at = asked_at + interval '1 hour', up_to = '-infinity'`,
    ));
  const clock = { ...systemClock, sleep };
  const service = createReaders({ db, clock, log: silentLog });
  await service.start();
  try {
    await eventually('its words are written', async () => ((await written(db)).includes(id) ? true : null));
  } finally {
    await service.stop();
  }
});

test('a quiet server is read to the end, and then left alone for some seconds', async () => {
  const db = server.database;
  await submit(db, 'a heron');
  // Other tests on the server have transactions, too.
  await eventually('all has been read', async () => ((await writeWords(db, 1000)) === null ? true : null));
  const asked = async () => (await db.query(`select asked_at from animus.periods_read where reader = 'words'`))[0];
  const before = await asked();
  for (let n = 0; n < 20; n++) expect(await writeWords(db, 1000)).toBeNull();
  expect(await asked()).toEqual(before);
});
