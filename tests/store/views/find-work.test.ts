/** Promise: an item and a conversation are found by any part of their id that people see, and no large table is read whole for it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readIdReference } from '../../../src/core/work/id-reference.ts';
import { WORK_STATES, type WorkState } from '../../../src/core/work/work.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Database, Queryable } from '../../../src/store/sql/database.ts';
import { conversationsNamed, findWork } from '../../../src/store/views/find-work.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { createLogin, dropLogins } from '../../support/role-login.ts';
import { fillQueue } from '../work/fill-queue.ts';

const target = testDatabase();
const logins: string[] = [];
interface Item {
  readonly id: string;
  readonly state: WorkState;
}
let items: Item[] = [];
let submitter: Database;

/** Thousands of queued and ended items, and four of a rare faculty in each state, which a login that may only submit has inserted. */
beforeAll(async () => {
  submitter = openPostgres(await createLogin(target.connectionString, 'animus_submitter', logins));
  await fillQueue(target.database, { queued: { crowd: 10_000, rare: 40 }, resolved: 10_000, scheduled: 1000 });
  await target.database.transaction(async (tx) => {
    await tx.query('set local session_replication_role = replica');
    await tx.query(
      `with rare as (select id, (row_number() over (order by id))::int as n from animus.work_items where faculty = 'rare'),
       state as (select r.id, r.n, (array['queued', 'queued', 'scheduled', 'claimed', 'running', 'waiting', 'completed', 'dead', 'merged', 'cancelled'])[1 + r.n % 10] as name from rare r)
       update animus.work_items w
          set state = s.name, key_blocked = s.n % 10 = 1, resolved_at = case when s.name = any ($1) then now() end,
              run_at = case when s.name = 'scheduled' then now() + interval '1 day' end, submitted_by = $2
         from state s where s.id = w.id`,
      [['completed', 'dead', 'merged', 'cancelled'], logins[0]],
    );
  });
  items = await target.database.query<Item>(`select id, state from animus.work_items where faculty = 'rare'`);
  await target.database.query('analyze animus.work_items');
  // As autovacuum does: ids of open items are then read from indexes alone. While autovacuum itself reads the table, it
  // leaves pages out; and without the option, those with few dead rows.
  await eventually('a table whose pages are visible to all', async () => {
    await target.database.query('vacuum (index_cleanup on) animus.work_items');
    const [table] = await target.database.query<{ done: boolean }>(
      `select relallvisible >= relpages as done from pg_class where oid = 'animus.work_items'::regclass`,
    );
    return table!.done || null;
  });
});
afterAll(async () => {
  await submitter.close();
  await dropLogins(logins);
});

describe.each(['a reader', 'a login that may only submit'])('%s', (who) => {
  const db = () => (who === 'a reader' ? target.database : submitter);

  test.each(WORK_STATES)('finds an item that is %s by each part of its id', async (state) => {
    const { id } = items.find((item) => item.state === state)!;
    const short = id.slice(-12);
    for (const reference of [
      id,
      id.toUpperCase(),
      id.replaceAll('-', ''),
      id.slice(0, -1),
      short,
      short.slice(0, 8),
      short.slice(-8),
      `${short.slice(0, 8)}…`,
      id.slice(-17),
      `animus/${short}`,
      `origin/animus/${short}`,
      `refs/heads/animus/${short}`,
      `animus/${short.slice(0, 8)}...`,
    ]) {
      expect([reference, await withoutScans(db(), (tx) => findWork(tx, reference))]).toEqual([reference, id]);
    }
  });

  test('finds none by digits that no item has', async () => {
    for (const reference of ['00000000abcd', 'abcd00000000', 'ffffffff-ffff-7fff-8fff-ffffffffffff'])
      await expect(withoutScans(db(), (tx) => findWork(tx, reference))).rejects.toMatchObject({
        code: 'work.not_found',
        message: `no work item ${reference}; find its id with: animus work list`,
      });
  });
});

test('a login that may only submit does not find the work of others', async () => {
  const [{ id } = { id: '' }] = await target.database.query<Item>(
    `select id, state from animus.work_items where faculty = 'crowd' limit 1`,
  );
  for (const reference of [id, id.slice(-12), id.slice(-12, -4), id.slice(0, -1)])
    await expect(findWork(submitter, reference)).rejects.toMatchObject({ code: 'work.not_found' });
});

test('several candidates are listed with what tells them from each other, whatever part of their ids it is', async () => {
  const ids = [
    'ca11ab1e-0000-7000-8000-000000000001',
    '00000000-0000-7000-8000-ca11ab1e0002',
    '00000000-0000-7000-8000-0003ca11ab1e',
  ];
  await target.database.transaction(async (tx) => {
    await tx.query('set local session_replication_role = replica');
    await tx.query(
      `insert into animus.work_items (id, faculty, root_id, depth, state, created_at, updated_at)
       select id::uuid, 'named', id::uuid, 0, 'queued', now(), now() from unnest($1::text[]) id`,
      [ids],
    );
  });
  await expect(findWork(target.database, 'ca11ab1e')).rejects.toMatchObject({
    code: 'work.ambiguous_id',
    message:
      'ca11ab1e matches several work items: 000000000001 (named, queued), ca11ab1e0002 (named, queued), 0003ca11ab1e (named, queued); give more digits',
  });
  for (const [n, reference] of ['ca11ab1e-0000', 'ca11ab1e0002', '3ca11ab1e'].entries())
    expect(await findWork(target.database, reference)).toBe(ids[n]);
  // A day has far more items than the first digits of an id tell from each other.
  await expect(findWork(target.database, items[0]!.id.slice(0, 4))).rejects.toMatchObject({
    code: 'work.ambiguous_id',
    message: expect.stringMatching(/^\w{4} matches several work items: (\w{12} \(\w+, \w+\), ){5}…; give more digits$/),
  });
});

test('the id of a focus finds its item, by its beginning, too', async () => {
  const { id } = items.find(({ state }) => state === 'running')!;
  const focus = 'f0c05000-1111-7222-8333-444444444444';
  await target.database.query(
    `insert into animus.foci (id, work_item_id, number, daemon_id, host, phase, started_at) values ($1, $2, 1, $2, 'here', 'orient', now())`,
    [focus, id],
  );
  for (const reference of [focus, 'f0c05000']) expect(await findWork(target.database, reference)).toBe(id);
  await expect(findWork(submitter, focus)).rejects.toMatchObject({ code: 'work.not_found' });
});

describe('a conversation', () => {
  beforeAll(async () => {
    await target.database.transaction(async (tx) => {
      await tx.query('set local session_replication_role = replica');
      await tx.query(
        `insert into animus.workspaces (id, owner, name, created_at) values ('11111111-1111-7111-8111-111111111111', 'x', 'x', now())`,
      );
      await tx.query(
        `with f as (
           insert into animus.files (id, workspace_id, path, is_virtual, kind, created_at, updated_at)
           select animus.uuid_v7(), '11111111-1111-7111-8111-111111111111', n || '.chat', true, 'chat', now(), now() from generate_series(1, 20000) n
           returning id),
         c as (insert into animus.conversations (file_id, faculty, created_by) select id, 'clerk', 'x' from f)
         insert into animus.conversation_people (file_id, actor) select id, animus.actor() from f`,
      );
    });
    await target.database.query('analyze animus.files, animus.conversations, animus.conversation_people');
  });

  test('is found by each part of its id, and a command for work says that it is one', async () => {
    const [{ id } = { id: '' }] = await target.database.query<Item>(
      'select file_id as id from animus.conversations offset 9000 limit 1',
    );
    for (const part of [id, id.slice(-12), id.slice(-12, -3), id.slice(-9), id.slice(0, -1)]) {
      const found = await withoutScans(target.database, (tx) => conversationsNamed(tx, readIdReference(part)!));
      expect([part, found]).toEqual([part, [{ id, faculty: 'clerk', title: '' }]]);
    }
    await expect(findWork(target.database, `animus/${id.slice(-12)}`)).rejects.toMatchObject({
      message: `no work item animus/${id.slice(-12)}; a conversation has this id: animus chat show ${id.slice(-12)}`,
    });
  });
});

/** Fails if a table that grows was read from its beginning to its end. */
async function withoutScans<T>(db: Database, search: (tx: Queryable) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    const before = await wholeReads(tx);
    const [found] = await Promise.allSettled([search(tx)]);
    expect(await wholeReads(tx)).toEqual(before);
    if (found.status === 'rejected') throw found.reason;
    return found.value;
  });
}

/** How often the session read each of these tables whole. */
function wholeReads(tx: Queryable): Promise<object[]> {
  return tx.query(
    `select relname, pg_stat_get_xact_numscans(oid) as scans from pg_class where relnamespace = 'animus'::regnamespace
        and relname in ('work_items', 'foci', 'conversations', 'files', 'conversation_people') order by relname`,
  );
}
