/** Promise: of several limits for the same thing, it is known which one counts, and who may set it. */
import { randomUUID } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listBudgets, removeBudget, setBudget } from '../../../src/features/budgets/store.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Queryable } from '../../../src/store/sql/database.ts';
import { type DeclaredLimit, declareBudgets } from '../../../src/store/work/budgets.ts';
import { beginHeld, beginLimited, limit, recordCost } from '../../support/budgets.ts';
import { testDatabase } from '../../support/database.ts';
import { createLogin, dropLogins } from '../../support/role-login.ts';

const target = testDatabase();
const faculty = () => `f${randomUUID()}`;

async function register(db: Queryable): Promise<string> {
  const id = randomUUID();
  await db.query(`select animus.register_daemon($1, 'here', 1, '0', 1, '{}', '[]')`, [id]);
  return id;
}

function perDay(name: string, amount: number): DeclaredLimit {
  return { scope: 'faculty', faculty: name, period: 'day', unit: 'usd', amount, on_exceeded: 'die' };
}

/** The limits that count for an item of the faculty. */
async function counting(db: Queryable, id: string): Promise<object[]> {
  return db.query(
    `select scope, period, unit, amount::float8, on_exceeded from animus.budget_of($1, animus.now()) order by scope, period, unit`,
    [id],
  );
}

describe('limits of files', () => {
  test('are the lowest of those that running daemons have read, and follow the files', async () => {
    const { database } = target;
    const name = faculty();
    const [first, second] = [await register(database), await register(database)];
    const { id } = await beginLimited(database, name);
    await declareBudgets(database, first, [perDay(name, 10)], [name]);
    await declareBudgets(database, second, [perDay(name, 20)], [name]);
    expect(await counting(database, id)).toEqual([
      { scope: 'faculty', period: 'day', unit: 'usd', amount: 10, on_exceeded: 'die' },
    ]);
    await declareBudgets(database, second, [perDay(name, 5)], [name]);
    expect(await counting(database, id)).toMatchObject([{ amount: 5 }]);
    await declareBudgets(database, first, [], [name]);
    expect(await counting(database, id)).toMatchObject([{ amount: 5 }]);
    await database.query('select animus.deregister_daemon($1)', [second]);
    await declareBudgets(database, first, [perDay(name, 10)], [name]);
    expect(await counting(database, id)).toMatchObject([{ amount: 10 }]);
    await declareBudgets(database, first, [], [faculty()]);
    expect(await counting(database, id)).toMatchObject([{ amount: 10 }]);
    await declareBudgets(database, first, [], [name]);
    expect(await counting(database, id)).toEqual([]);
  });

  test('that are declared again write nothing', async () => {
    const { database } = target;
    const [name, daemon] = [faculty(), await register(target.database)];
    await declareBudgets(database, daemon, [perDay(name, 10)], [name]);
    const version = () =>
      database.query('select xmin::text, set_at from animus.budget_limits where faculty = $1', [name]);
    const before = await version();
    await declareBudgets(database, daemon, [perDay(name, 10)], [name]);
    expect(await version()).toEqual(before);
  });

  test('survive a restart with what was spent', async () => {
    const { database } = target;
    const [name, daemon] = [faculty(), await register(database)];
    await declareBudgets(database, daemon, [perDay(name, 1)], [name]);
    const work = await beginLimited(database, name);
    await beginHeld(database, work, 1, 0.7);
    await recordCost(database, work, 1, 0.7);
    await database.query('select animus.deregister_daemon($1)', [daemon]);
    await declareBudgets(database, await register(database), [perDay(name, 1)], [name]);
    expect(await beginHeld(database, work, 2, 0.4)).toMatchObject({ permit: 'budget' });
  });
});

describe('limits of people', () => {
  test('of an operator replace those of the file, of a submitter only lower them', async () => {
    const { database } = target;
    const [name, daemon] = [faculty(), await register(database)];
    const perItem: DeclaredLimit = {
      scope: 'item',
      faculty: name,
      period: 'none',
      unit: 'usd',
      amount: 5,
      on_exceeded: 'wait',
    };
    await declareBudgets(database, daemon, [perItem], [name]);
    const { id } = await beginLimited(database, name);
    await database.query(
      `insert into animus.budget_limits (scope, work_item_id, period, unit, amount, origin, set_by, created_at, set_at)
       values ('item', $1, 'none', 'usd', 9, 'submitter', 'somebody', now(), now())`,
      [id],
    );
    expect(await counting(database, id)).toMatchObject([{ amount: 5 }]);
    await database.query(`update animus.budget_limits set amount = 2 where work_item_id = $1`, [id]);
    expect(await counting(database, id)).toMatchObject([{ amount: 2, on_exceeded: 'wait' }]);
    await setBudget(database, {
      scope: 'item',
      subject: name,
      period: 'none',
      unit: 'usd',
      amount: 1.5,
      on_exceeded: 'die',
    });
    expect(await counting(database, id)).toMatchObject([{ amount: 1.5, on_exceeded: 'die' }]);
    await setBudget(database, { scope: 'item', subject: id, period: 'none', unit: 'usd', amount: 7 });
    expect(await counting(database, id)).toMatchObject([{ amount: 7 }]);
    expect(await removeBudget(database, { scope: 'item', subject: id, period: 'none', unit: 'usd' })).toBe(true);
    expect(await counting(database, id)).toMatchObject([{ amount: 1.5 }]);
  });

  test('are listed with what is used of each', async () => {
    const { database } = target;
    const name = faculty();
    await limit(database, 'faculty', name, 4, { period: 'month' });
    const work = await beginLimited(database, name);
    await beginHeld(database, work, 1, 0.7);
    const mine = (await listBudgets(database)).filter(({ subject }) => subject === name);
    expect(mine).toMatchObject([
      { scope: 'faculty', period: 'month', unit: 'usd', amount: 4, used: 0.7, origin: 'operator' },
    ]);
    const [left] = await database.query<{ left: object }>('select animus.budget_left($1) as left', [work.id]);
    expect(left).toMatchObject({ left: [{ scope: 'faculty', amount: 4, used: 0.7, left: 3.3 }] });
  });

  test('are set by a submitter for its own items only, in the transaction that submits them', async () => {
    const logins: string[] = [];
    const submitter = openPostgres(await createLogin(target.connectionString, 'animus_submitter', logins), {
      poolSize: 1,
    });
    onTestFinished(async () => {
      await submitter.close();
      await dropLogins(logins);
    });
    const name = faculty();
    const id = await submitter.transaction(async (tx) => {
      const [item] = await tx.query<{ id: string }>(`select id from animus.submit_work($1)`, [name]);
      await tx.query(`select animus.set_budget('item', $1, 'none', 'usd', 0.5)`, [item!.id]);
      return item!.id;
    });
    expect(await counting(target.database, id)).toMatchObject([{ amount: 0.5 }]);
    const [other] = await target.database.query<{ id: string }>(
      'insert into animus.work_items (faculty) values ($1) returning id',
      [name],
    );
    await expect(
      submitter.query(`select animus.set_budget('item', $1, 'none', 'usd', 9)`, [other!.id]),
    ).rejects.toThrow(/no work item/);
    await expect(submitter.query(`select animus.set_budget('item', $1, 'none', 'usd', 9)`, [name])).rejects.toThrow(
      /single items of its own/,
    );
    await expect(submitter.query(`select animus.set_budget('appliance', null, 'day', 'usd', 9)`)).rejects.toThrow(
      /single items of its own/,
    );
    await expect(submitter.query('select * from animus.list_budgets()')).rejects.toThrow(/permission denied/);
  });

  test.each([
    [`'planet', null, 'day', 'usd', 1`],
    [`'item', 'x', 'day', 'usd', 1`],
    [`'faculty', null, 'day', 'usd', 1`],
    [`'appliance', 'x', 'day', 'usd', 1`],
    [`'appliance', null, 'day', 'euro', 1`],
    [`'appliance', null, 'day', 'usd', -1`],
    [`'appliance', null, 'day', 'usd', 'NaN'`],
    [`'appliance', null, 'day', 'usd', null`],
    [`'appliance', null, 'day', 'usd', 1, 'beg'`],
  ])('are refused that mean nothing: %s', async (args) => {
    await expect(target.database.query(`select animus.set_budget(${args})`)).rejects.toThrow(/no limit can be/);
  });
});
