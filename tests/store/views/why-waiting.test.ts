/** Why work waits: the one answer, as SQL gives it to whoever may see the item, and to nobody else. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { WAITING_REASONS } from '../../../src/core/work/waiting.ts';
import { startConversation } from '../../../src/features/conversations/store/conversations.ts';
import { sayInConversation } from '../../../src/features/conversations/store/messages.ts';
import { createWorkspace } from '../../../src/features/conversations/store/workspaces.ts';
import { asVisitor, type Visitor } from '../../../src/http/login/visitor.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Database, Queryable } from '../../../src/store/sql/database.ts';
import { withWaiting } from '../../../src/store/views/waiting.ts';
import { cancelWork, pauseFaculty, resumeFaculty } from '../../../src/store/work/operate.ts';
import { submitWork } from '../../../src/store/work/submit-work.ts';
import { beginFocus } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';
import { tableRows } from '../../support/markdown-table.ts';
import { visitorFor } from '../../support/people.ts';
import { createLogin, dropLogins } from '../../support/role-login.ts';
import { WAITING_ITEMS, type WaitingMeans } from '../../support/waiting-items.ts';

const target = testDatabase();
const logins: string[] = [];
let gateway: Database;
let alice: Visitor;
let bob: Visitor;
let rita: Visitor;
let means: WaitingMeans;
beforeAll(async () => {
  const db = target.database;
  gateway = openPostgres(await createLogin(target.connectionString, 'animus_gateway', logins), { poolSize: 2 });
  alice = await visitorFor(db, 'alice');
  bob = await visitorFor(db, 'bob');
  rita = await visitorFor(db, 'rita', 'reader');
  means = {
    db,
    submit: async (work) => (await as(alice, (tx) => submitWork(tx, work))).id,
    say: (faculty, messages) =>
      as(alice, async (tx) => {
        const chat = await startConversation(tx, { workspaceId: await createWorkspace(tx, 'default'), faculty });
        const items: string[] = [];
        for (const text of messages) items.push((await sayInConversation(tx, chat, text)).workItemId);
        return items;
      }),
  };
});
beforeEach(() => resumeFaculty(target.database, '*'));
afterAll(async () => {
  await gateway.close();
  await dropLogins(logins);
});

const as = <T>(visitor: Visitor, act: (tx: Queryable) => Promise<T>) => asVisitor(gateway, visitor, act);
const why = async (db: Queryable, id: string, plain = false) =>
  (await db.query('select * from animus.why_waiting(array[$1]::uuid[], $2)', [id, plain]))[0] ?? null;

test('of a long queue of messages, each answer waits for the one before it, and a page of them is told soon', async () => {
  const db = target.database;
  const served = await WAITING_ITEMS.message(means);
  const [item] = await db.query<{ faculty: string }>('select faculty from animus.work_items where id = $1', [served]);
  const items = await means.say(
    item!.faculty,
    Array.from({ length: 150 }, (_, n) => `message ${n}`),
  );
  const told = await db.transaction(async (tx) => {
    // A hundred times what it takes: it took minutes.
    await tx.query(`set local statement_timeout = '20s'`);
    return tx.query<{ before: readonly string[] }>(
      `select y.work_items as before from animus.why_waiting($1) y where y.reason = 'message' order by y.work_item_id`,
      [items],
    );
  });
  expect(told.map(({ before }) => before)).toEqual(items.slice(0, -1).map((id) => [id]));
});

test.each(WAITING_REASONS)('%s: the owner and a reader are told, and nobody else', async (reason) => {
  const id = await WAITING_ITEMS[reason](means);
  const own = await as(alice, (tx) => why(tx, id));
  expect(own).toMatchObject({ work_item_id: id, reason, why: expect.stringMatching(/^[a-z].*[^.]$/) });
  expect(own!['since']).toBeInstanceOf(Date);
  expect(own!['ends']).toEqual(expect.stringMatching(/^[a-z].*[^.]$/));
  expect(await as(rita, (tx) => why(tx, id))).toMatchObject({ reason });
  expect(await why(target.database, id)).toMatchObject({ reason });
  expect(await as(bob, (tx) => why(tx, id))).toBeNull();
  expect(
    await as(alice, (tx) => tx.query('select reason from animus.waiting_work where work_item_id = $1', [id])),
  ).toEqual([{ reason }]);
  expect(await as(bob, (tx) => tx.query('select from animus.waiting_work where work_item_id = $1', [id]))).toEqual([]);
});

test('the words of operators and daemons, and the items of others, are for those who may see them', async () => {
  const paused = await WAITING_ITEMS.paused(means);
  const all = {
    who: expect.any(String) as string,
    why: expect.stringMatching(/is paused by .*: the price list is wrong$/) as string,
  };
  expect(await as(rita, (tx) => why(tx, paused))).toMatchObject(all);
  for (const said of [await as(alice, (tx) => why(tx, paused)), await as(rita, (tx) => why(tx, paused, true))]) {
    expect(said!['why']).toMatch(/is paused by [^:]+$/);
  }
  const held = await WAITING_ITEMS.provider(means);
  expect((await as(rita, (tx) => why(tx, held)))!['why']).toMatch(/: rate_limit: slow down$/);
  expect((await as(alice, (tx) => why(tx, held)))!['why']).toMatch(/wait for its provider$/);
  // The item with the key is nobody's that alice could see.
  const keyed = await WAITING_ITEMS.key(means);
  expect((await as(rita, (tx) => why(tx, keyed)))!['work_items']).toHaveLength(1);
  expect((await as(alice, (tx) => why(tx, keyed)))!['work_items']).toEqual([]);
  const parent = await WAITING_ITEMS.children(means);
  expect((await as(alice, (tx) => why(tx, parent)))!['work_items']).toHaveLength(1);
  expect((await as(alice, (tx) => why(tx, parent, true)))!['work_items']).toEqual([]);
});

test('the answer follows what stands in the way, and is over when the item runs or has ended', async () => {
  const db = target.database;
  const id = await WAITING_ITEMS.paused(means);
  const [item] = await db.query<{ faculty: string }>('select faculty from animus.work_items where id = $1', [id]);
  await pauseFaculty(db, '*', 'all is red');
  expect(await why(db, id)).toMatchObject({ reason: 'paused' });
  await resumeFaculty(db, item!.faculty);
  expect((await why(db, id))!['why']).toMatch(/^all work is paused by /);
  await resumeFaculty(db, '*');
  // Just queued, with room: nothing is wrong.
  expect(await why(db, id)).toBeNull();
  const work = await beginFocus(db, { id });
  expect(await why(db, id)).toBeNull();
  const waits = await WAITING_ITEMS.approval(means);
  await cancelWork(db, waits);
  expect(await why(db, waits)).toBeNull();
  const rows = [
    { id, state: 'running' as const },
    { id: waits, state: 'waiting' as const },
  ];
  expect(await withWaiting(db, rows)).toEqual(rows.map((row) => ({ ...row, waiting: null })));
  expect(work.id).toBe(id);
});

test('the status says of the first three items of a queue why they wait', async () => {
  const faculty = 'long-queue';
  for (let n = 0; n < 5; n++) await means.submit({ faculty });
  const [row] = await target.database.query<{ status: { waiting: { faculty: string; items: number }[] } }>(
    'select animus.waiting_status() as status',
  );
  expect(row!.status.waiting.filter((one) => one.faculty === faculty)).toMatchObject([{ items: 3 }]);
});

test('a page is answered by one statement, in a time that does not matter', async () => {
  const ids: string[] = [];
  // The other two stand in the way of all work.
  const reasons = WAITING_REASONS.filter((reason) => reason !== 'all_paused' && reason !== 'no_daemon');
  for (const reason of reasons) ids.push(await WAITING_ITEMS[reason](means));
  const found = await withWaiting(
    target.database,
    ids.map((id) => ({ id, state: 'queued' as const })),
  );
  expect(found.map(({ waiting }) => waiting?.reason)).toEqual(reasons);
});

test('docs/states.md explains these reasons', () => {
  const page = readFileSync(new URL('../../../docs/states.md', import.meta.url), 'utf8');
  const [, section] = page.split('## Why work waits');
  const rows = tableRows(section!).filter(([first]) => first?.startsWith('`'));
  const named = rows.slice(0, WAITING_REASONS.length).map(([first]) => first!.replaceAll('`', ''));
  expect(named.toSorted()).toEqual([...WAITING_REASONS].toSorted());
});
