import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readChildren } from '../../../src/store/transcript/children.ts';
import { parkWork } from '../../../src/store/transcript/waits.ts';
import { completeWork, endCancelled, failWork } from '../../../src/store/work/work.ts';
import { beginFocus } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';
import { await_, runningParent, spawn, stateOf } from './family.ts';

const pg = testDatabase();
const ERROR = { code: 'test', message: 'it failed' };

it('a parent awaits a child that was inserted as not detached, as one that says nothing', async () => {
  const parent = await runningParent(pg.database);
  await pg.database.query(
    `insert into animus.work_items (faculty, parent_id, detached) values ('engineer', $1, false)`,
    [parent.id],
  );
  expect(await await_(pg.database, parent)).toBe(true);
});

describe('the end of a parent', () => {
  it('cancels its open children, but not detached ones, nor work into which a child was merged', async () => {
    const { database: db } = pg;
    const faculty = `f${randomUUID()}`;
    const [other] = await db.query<{ id: string }>(
      `insert into animus.work_items (faculty, dedup_key) values ($1, 'k') returning id`,
      [faculty],
    );
    const parent = await runningParent(db);
    const owned = await spawn(db, parent);
    const detached = await spawn(db, parent, { detached: true });
    await spawn(db, parent, { faculty, dedupKey: 'k' });
    const below = await spawn(db, await runningParent(db, ['a'], detached.id));
    await failWork(db, parent, ERROR, null);
    expect(await Promise.all([owned.id, detached.id, other!.id, below.id].map((id) => stateOf(db, id)))).toEqual([
      'cancelled',
      'running',
      'queued',
      'queued',
    ]);
  });

  it('has a budget of its tree for its own children, not for work into which a child was merged', async () => {
    const { database: db } = pg;
    const faculty = `f${randomUUID()}`;
    const [other] = await db.query<{ id: string }>(
      `insert into animus.work_items (faculty, dedup_key) values ($1, 'k') returning id`,
      [faculty],
    );
    const parent = await runningParent(db);
    await db.query(`select animus.set_budget('root', $1, 'none', 'usd', 1)`, [parent.id]);
    const owned = await spawn(db, parent);
    await spawn(db, parent, { faculty, dedupKey: 'k' });
    const limited = (id: string) =>
      db.query('select animus.has_budget(w.id, w.faculty) as limited from animus.work_items w where w.id = $1', [id]);
    expect(await limited(owned.id)).toEqual([{ limited: true }]);
    expect(await limited(other!.id)).toEqual([{ limited: false }]);
  });

  it('wakes others who wait for what it cancels', async () => {
    const { database: db } = pg;
    const faculty = `f${randomUUID()}`;
    const owner = await runningParent(db);
    const shared = await spawn(db, owner, { faculty, dedupKey: 'k' });
    const other = await runningParent(db);
    expect(await spawn(db, other, { faculty, dedupKey: 'k' })).toMatchObject({ mergedInto: shared.id });
    await await_(db, other);
    await parkWork(db, other);
    await db.query('select animus.cancel_work($1)', [owner.id]);
    await endCancelled(db, owner);
    expect(await stateOf(db, shared.id)).toBe('cancelled');
    expect(await stateOf(db, other.id)).toBe('queued');
  });
});

describe('a cycle of waits through merges', () => {
  it('is refused to whoever begins to wait last', async () => {
    const { database: db } = pg;
    const faculty = `f${randomUUID()}`;
    const first = await runningParent(db, ['await'], await keyed(faculty, 'first'));
    const second = await runningParent(db, ['await'], await keyed(faculty, 'second'));
    await spawn(db, first, { faculty, dedupKey: 'second' });
    await spawn(db, second, { faculty, dedupKey: 'first' });
    expect(await await_(db, first)).toBe(true);
    await expect(await_(db, second)).rejects.toThrow(`merged into work item ${first.id}, which waits for this work`);
  });

  it('is refused if it leads through children, whoever of them waits', async () => {
    const { database: db } = pg;
    const faculty = `f${randomUUID()}`;
    const top = await runningParent(db, ['await'], await keyed(faculty, 'top'));
    const child = await runningParent(db, ['await'], (await spawn(db, top)).id);
    const other = await runningParent(db, ['await'], await keyed(faculty, 'other'));
    const below = await runningParent(db, ['await'], (await spawn(db, other)).id);
    await spawn(db, child, { faculty, dedupKey: 'other' });
    await spawn(db, below, { faculty, dedupKey: 'top' });
    expect(await await_(db, child)).toBe(true);
    await expect(await_(db, below)).rejects.toThrow(/both would wait forever/);
  });

  it('does not exist where two wait for the same item', async () => {
    const { database: db } = pg;
    const faculty = `f${randomUUID()}`;
    const shared = await keyed(faculty, 'shared');
    const parents = [await runningParent(db), await runningParent(db)];
    for (const parent of parents) {
      await spawn(db, parent, { faculty, dedupKey: 'shared' });
      expect(await await_(db, parent)).toBe(true);
      await parkWork(db, parent);
    }
    await completeWork(db, await beginFocus(db, { id: shared }), {}, null);
    for (const parent of parents) expect(await stateOf(db, parent.id)).toBe('queued');
  });

  async function keyed(faculty: string, key: string): Promise<string> {
    const [row] = await pg.database.query<{ id: string }>(
      `insert into animus.work_items (faculty, dedup_key) values ($1, $2) returning id`,
      [faculty, key],
    );
    return row!.id;
  }
});

describe('work of somebody else', () => {
  it('into which a child was merged shows its state, and its result only to those who may see it', async () => {
    const { database: db } = pg;
    const faculty = `f${randomUUID()}`;
    const [other] = await db.query<{ id: string }>(
      `insert into animus.work_items (faculty, dedup_key) values ($1, 'k') returning id`,
      [faculty],
    );
    const parent = await runningParent(db);
    await db.query(`update animus.work_items set submitted_by = 'alice' where id = $1`, [parent.id]);
    await spawn(db, parent, { faculty, dedupKey: 'k' });
    await completeWork(db, await beginFocus(db, { id: other!.id }), { secret: 1 }, 'secret');
    expect(await readChildren(db, parent.id, null)).toMatchObject([
      { state: 'completed', visible: false, outcome: null, summary: null, ledger: [] },
    ]);
    await db.query(`update animus.work_items set submitted_by = 'alice' where id = $1`, [other!.id]);
    expect(await readChildren(db, parent.id, null)).toMatchObject([{ visible: true, summary: 'secret' }]);
  });
});
