/** Promise: work finds what its submitter may see, and changes only what is its submitter's. */
import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { forgetMemory, storeMemory, updateMemory } from '../../../src/store/memory/memories.ts';
import { searchMemories } from '../../../src/store/memory/search-memories.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Database, Queryable } from '../../../src/store/sql/database.ts';
import { beginFocus, type FocusedWork } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';
import { createLogin, dropLogins } from '../../support/role-login.ts';
import { codeOf } from '../work/queue-driver.ts';

const target = testDatabase();
const logins: string[] = [];
const open: Database[] = [];
afterAll(async () => {
  for (const db of open) await db.close();
  await dropLogins(logins);
});

async function as(role: string): Promise<Database & { readonly login: string }> {
  const db = openPostgres(await createLogin(target.connectionString, role, logins), { poolSize: 1 });
  open.push(db);
  return { ...db, login: logins.at(-1)! };
}

/** A focus of work that this login submits; the daemon of the tests is the superuser. */
async function workOf(submitter: Queryable, params: object = {}): Promise<FocusedWork> {
  const [row] = await submitter.query<{ id: string }>('select id from animus.submit_work($1, params => $2)', [
    `f${randomUUID()}`,
    JSON.stringify(params),
  ]);
  return beginFocus(target.database, { id: row!.id });
}

const find = async (db: Queryable, work: FocusedWork | null, text: string, project?: string) => {
  const found = await searchMemories(db, {
    viewer: work && { workItemId: work.id },
    text,
    embedding: null,
    limit: 50,
    ...(project !== undefined && { filters: { project } }),
  });
  return found.memories.map(({ content }) => content).sort();
};

describe('work', () => {
  test('finds what its submitter stored and what is everybody’s; that of a reader of all work finds all', async () => {
    const db = target.database;
    const [alice, bob, operator] = [
      await as('animus_submitter'),
      await as('animus_submitter'),
      await as('animus_operator'),
    ];
    const [ofAlice, ofBob, ofOperator] = [await workOf(alice), await workOf(bob), await workOf(operator)];
    await storeMemory(db, { content: 'colour red, says alice' }, ofAlice.key);
    await storeMemory(db, { content: 'colour blue, says bob' }, ofBob.key);
    await storeMemory(operator, { content: 'colour grey, says everybody', everybody: true }, null);
    expect(await find(db, ofAlice, 'colour')).toEqual(['colour grey, says everybody', 'colour red, says alice']);
    expect(await find(db, ofBob, 'colour')).toEqual(['colour blue, says bob', 'colour grey, says everybody']);
    expect(await find(db, ofOperator, 'colour')).toHaveLength(3);
    // The same for the people themselves.
    expect(await find(alice, null, 'colour')).toEqual(['colour grey, says everybody', 'colour red, says alice']);
    expect(await find(operator, null, 'colour')).toHaveLength(3);
    // A submitter cannot look through the work of another one.
    expect(await codeOf(find(alice, ofBob, 'colour'))).toBe('work.not_found');
    // Whose login is gone sees only what was stored in its name.
    await db.query(`update animus.work_items set submitted_by = 'nobody_left' where id = $1`, [ofOperator.id]);
    expect(await find(db, ofOperator, 'colour')).toEqual(['colour grey, says everybody']);
  });

  test('finds the memories of its project, and of another one if it names it', async () => {
    const db = target.database;
    const alice = await as('animus_submitter');
    const [shop, site] = [await workOf(alice, { project: 'shop' }), await workOf(alice, { project: ' site ' })];
    await storeMemory(db, { content: 'tests need redis', layer: 'project' }, shop.key);
    await storeMemory(db, { content: 'tests need nothing', layer: 'project' }, site.key);
    expect(await find(db, shop, 'tests')).toEqual(['tests need redis']);
    expect(await find(db, site, 'tests')).toEqual(['tests need nothing']);
    expect(await find(db, site, 'tests', 'shop')).toEqual(['tests need redis']);
    expect(await find(db, await workOf(await as('animus_submitter')), 'tests', 'shop')).toEqual([]);
  });

  test('changes what is its submitter’s, and that of an operator changes anything that it sees', async () => {
    const db = target.database;
    const [alice, bob, operator] = [
      await as('animus_submitter'),
      await as('animus_submitter'),
      await as('animus_operator'),
    ];
    const [ofAlice, ofBob, ofOperator] = [await workOf(alice), await workOf(bob), await workOf(operator)];
    const own = await storeMemory(db, { content: 'mine' }, ofAlice.key);
    const shared = await storeMemory(operator, { content: 'shared', everybody: true }, null);
    expect(await codeOf(updateMemory(db, own.id, { content: 'x' }, ofBob.key))).toBe('work.not_found');
    expect(await codeOf(forgetMemory(db, shared.id, '', ofBob.key))).toBe('db.forbidden');
    expect(await codeOf(updateMemory(bob, shared.id, { content: 'x' }, null))).toBe('db.forbidden');
    await updateMemory(db, own.id, { content: 'mine still' }, ofAlice.key);
    await updateMemory(db, shared.id, { content: 'shared better' }, ofOperator.key);
    await forgetMemory(alice, own.id, 'mine', null);
    await forgetMemory(operator, shared.id, 'no longer', null);
    const decided = await db.query(
      `select decided_by, note from animus.decisions where action = 'erase' and target like 'memory %' order by id`,
    );
    expect(decided).toEqual([
      { decided_by: alice.login, note: 'mine' },
      { decided_by: operator.login, note: 'no longer' },
    ]);
  });

  test('whose lease is lost changes nothing', async () => {
    const work = await workOf(await as('animus_submitter'));
    const stale = { ...work.key, leaseToken: '1' };
    const { id } = await storeMemory(target.database, { content: 'kept' }, work.key);
    expect(await codeOf(storeMemory(target.database, { content: 'late' }, stale))).toBe('work.lease_lost');
    expect(await codeOf(updateMemory(target.database, id, { content: 'late' }, stale))).toBe('work.lease_lost');
    expect(await codeOf(forgetMemory(target.database, id, '', stale))).toBe('work.lease_lost');
  });
});

test('a person behind a gateway has its own memories, and no right of the gateway', async () => {
  const gateway = await as('animus_gateway');
  const acting = <T>(name: string, work: (tx: Queryable) => Promise<T>) =>
    gateway.transaction(async (tx) => {
      await tx.query('select animus.act_as($1)', [name]);
      return work(tx);
    });
  const { id } = await acting('alice', (tx) => storeMemory(tx, { content: 'hue of alice' }, null));
  expect(await acting('alice', (tx) => find(tx, null, 'hue'))).toEqual(['hue of alice']);
  expect(await acting('bob', (tx) => find(tx, null, 'hue'))).toEqual([]);
  expect(await codeOf(acting('bob', (tx) => forgetMemory(tx, id, '', null)))).toBe('work.not_found');
  expect(await codeOf(acting('bob', (tx) => storeMemory(tx, { content: 'x', everybody: true }, null)))).toBe(
    'db.forbidden',
  );
});

test('a reader reads, and a submitter has only the functions', async () => {
  const [reader, submitter] = [await as('animus_reader'), await as('animus_submitter')];
  expect(await codeOf(storeMemory(reader, { content: 'x' }, null))).toBe('db.forbidden');
  expect(await find(reader, null, '')).not.toEqual([]);
  for (const sql of [
    'select * from animus.memories',
    'select animus.memory_stats()',
    `select animus.set_memory_limit('task', 1)`,
  ])
    expect(await codeOf(submitter.query(sql))).toBe('db.forbidden');
});

test('a submitter cannot fill the disk by naming projects', async () => {
  const db = target.database;
  const submitter = await as('animus_submitter');
  await db.query(`select animus.set_memory_limit('submitter', 3)`);
  const store = (n: number) => storeMemory(submitter, { content: 'x', layer: 'project', project: `p${n}` }, null);
  for (const n of [1, 2, 3]) await store(n);
  await expect(store(4)).rejects.toThrow('has 3 memories, the most that a submitter may have');
  expect(await store(3)).toMatchObject({ merged: true });
});
