import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readChildren, spawnChildWork } from '../../../src/store/transcript/children.ts';
import { parkWork, readWaits, resolveDueWaits } from '../../../src/store/transcript/waits.ts';
import { completeBatch } from '../../../src/store/work/claimed/complete-batch.ts';
import { completeWork, endCancelled, failWork, releaseWork } from '../../../src/store/work/work.ts';
import { beginFocus, itemOf } from '../../support/begun-focus.ts';
import { embeddedDatabase, testDatabase } from '../../support/database.ts';
import { await_, LIMITS, parkedParent, runningParent, spawn, stateOf } from './family.ts';

const pg = testDatabase();
const ERROR = { code: 'test', message: 'it failed' };

describe('spawned work', () => {
  it('inherits priority, submitter and trace, and says who spawned it', async () => {
    const { database: db } = pg;
    const [row] = await db.query<{ id: string }>(
      `insert into animus.work_items (faculty, priority) values ('f${randomUUID()}', 7) returning id`,
    );
    await db.query(`update animus.work_items set submitted_by = 'person:alice' where id = $1`, [row!.id]);
    const parent = await runningParent(db, ['spawn'], row!.id);
    const { id } = await spawn(db, parent, { traceContext: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' });
    expect(await itemOf(db, id)).toMatchObject({
      parent_id: parent.id,
      root_id: parent.id,
      depth: 1,
      priority: 7,
      submitted_by: 'person:alice',
      source: 'parent',
      trigger_info: { focus_id: parent.key.focusId, call_id: 'spawn' },
      trace_context: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    });
    expect(await itemOf(db, (await spawn(db, parent, { priority: 3 })).id)).toMatchObject({ priority: 3 });
  });

  it('is given again to a later attempt of its parent that asks in the same words', async () => {
    const { database: db } = pg;
    const words = { faculty: `f${randomUUID()}`, description: 'Read', params: { page: 1 } };
    const first = await runningParent(db, ['spawn']);
    const { id } = await spawn(db, first, words);
    await spawn(db, await runningParent(db, ['spawn']), words);
    await failWork(db, first, ERROR, 0);
    const second = await runningParent(db, ['spawn'], first.id);

    const others = [
      { faculty: 'another' },
      { description: 'Write' },
      { params: {} },
      { skill: 'a' },
      { detached: true },
    ];
    for (const other of others) {
      expect(await spawn(db, second, { ...words, ...other })).toMatchObject({ earlier: false });
    }
    expect(await spawn(db, second, words)).toMatchObject({ id, earlier: true });
  });

  it('is refused beyond the limits of depth and number, whatever the caller allows', async () => {
    const { database: db } = pg;
    let parent = await runningParent(db);
    const limited = (limits: typeof LIMITS) => {
      const child = { faculty: 'f', description: '', params: {}, skill: null, priority: null };
      const rest = { dedupKey: null, detached: false, traceContext: null };
      return spawnChildWork(db, { ...parent.key, callId: 'c' }, { ...child, ...rest }, limits);
    };
    await limited({ maxChildren: 1, maxDepth: 5 });
    await expect(limited({ maxChildren: 1, maxDepth: 5 })).rejects.toThrow(/has spawned as many items as it may \(1\)/);
    for (let depth = 1; depth <= 5; depth++) parent = await runningParent(db, ['a'], (await spawn(db, parent)).id);
    await expect(limited({ maxChildren: 50, maxDepth: 50 })).rejects.toThrow(/5 levels below its root/);
    await db.query(`insert into animus.work_items (faculty, parent_id) select 'f', $1 from generate_series(1, 1000)`, [
      (await itemOf(db, parent.id))['parent_id'],
    ]);
    const [{ id: grandparent }] = (await db.query<{ id: string }>(
      'select parent_id as id from animus.work_items where id = $1',
      [parent.id],
    )) as [{ id: string }];
    const [focus] = await db.query<{ id: string; token: string }>(
      `select f.id, w.lease_token as token from animus.foci f join animus.work_items w on w.id = f.work_item_id where w.id = $1`,
      [grandparent],
    );
    const key = { workItemId: grandparent, focusId: focus!.id, leaseToken: focus!.token, callId: 'c' };
    const child = {
      faculty: 'f',
      description: '',
      params: {},
      skill: null,
      priority: null,
      dedupKey: null,
      detached: false,
      traceContext: null,
    };
    await expect(spawnChildWork(db, key, child, { maxChildren: 5000, maxDepth: 5 })).rejects.toThrow(
      /as many items as it may \(1000\)/,
    );
  });

  it('is refused without the lease of the parent', async () => {
    const parent = await runningParent(pg.database);
    await releaseWork(pg.database, parent, { delaySeconds: 0, reason: 'test', cause: 'test' });
    await expect(spawn(pg.database, parent)).rejects.toMatchObject({ code: 'work.lease_lost' });
  });
});

/** Each way in which the last child can end, and what the parent sees of it. */
const ENDS = {
  completed: async (id: string) =>
    completeWork(pg.database, await beginFocus(pg.database, { id }), { ok: true }, 'done'),
  'completed in a batch': async (id: string) => {
    const work = await beginFocus(pg.database, { id });
    const ended = { id, leaseToken: work.leaseToken, outcome: { ok: true }, summary: 'done' };
    expect(await completeBatch(pg.database, [ended])).toEqual(['completed']);
  },
  'completed by a worker': async (id: string) => {
    const work = await beginFocus(pg.database, { id });
    const rows = await pg.database.query(
      `select completed from animus.complete_works(array[$1]::uuid[], array[$2]::bigint[], array['{}']::jsonb[])`,
      [id, work.leaseToken],
    );
    expect(rows).toEqual([{ completed: true }]);
  },
  dead: async (id: string) => failWork(pg.database, await beginFocus(pg.database, { id }), ERROR, null),
  'cancelled while queued': async (id: string) => pg.database.query('select animus.cancel_work($1)', [id]),
  'cancelled while running': async (id: string) => {
    const work = await beginFocus(pg.database, { id });
    await pg.database.query('select animus.cancel_work($1)', [id]);
    await endCancelled(pg.database, work);
  },
  'cancelled and released': async (id: string) => {
    const work = await beginFocus(pg.database, { id });
    await pg.database.query('select animus.cancel_work($1)', [id]);
    await releaseWork(pg.database, work, { delaySeconds: 0, reason: 'test', cause: 'test' });
  },
  'cancelled and parked': async (id: string) => {
    const work = await beginFocus(pg.database, { id });
    await pg.database.query('select animus.cancel_work($1)', [id]);
    await parkWork(pg.database, work);
  },
  'dead by a lost lease': async (id: string) => {
    const { faculty } = await beginFocus(pg.database, { id });
    await pg.database.query(
      `update animus.work_items set lease_expires_at = now() - interval '1 hour', attempts = 99 where id = $1`,
      [id],
    );
    const limits = JSON.stringify({ [faculty]: { max: 1, max_attempts: 1, dedup_until: 'resolved', batches: true } });
    await pg.database.query(`select animus.claim_work($1, $2::jsonb, 1, '60 s')`, [randomUUID(), limits]);
  },
} as const;

describe('a parent that waits for its children', () => {
  it.each(Object.entries(ENDS))('is woken when the last one is %s', async (_name, end) => {
    const { parent, children } = await parkedParent(pg.database, 2);
    await completeWork(pg.database, await beginFocus(pg.database, { id: children[0]! }), {}, null);
    expect(await stateOf(pg.database, parent.id)).toBe('waiting');
    await end(children[1]!);
    expect(await stateOf(pg.database, parent.id)).toBe('queued');
    expect(await readWaits(pg.database, parent.id)).toMatchObject([{ result: { children_ended: true } }]);
  });

  it('is woken by the first end if it waits for any', async () => {
    const { parent, children } = await parkedParent(pg.database, 3, 'any');
    await completeWork(pg.database, await beginFocus(pg.database, { id: children[2]! }), {}, null);
    expect(await stateOf(pg.database, parent.id)).toBe('queued');
    // The end of another child finds nobody who waits.
    await completeWork(pg.database, await beginFocus(pg.database, { id: children[1]! }), {}, null);
  });

  it('does not park if they have ended already', async () => {
    const parent = await runningParent(pg.database);
    const { id } = await spawn(pg.database, parent);
    await completeWork(pg.database, await beginFocus(pg.database, { id }), {}, null);
    expect(await await_(pg.database, parent)).toBe(false);
  });

  it('goes straight back to the queue if the last one ends before it parks', async () => {
    const parent = await runningParent(pg.database);
    const { id } = await spawn(pg.database, parent);
    expect(await await_(pg.database, parent)).toBe(true);
    await completeWork(pg.database, await beginFocus(pg.database, { id }), {}, null);
    expect(await parkWork(pg.database, parent)).toBe('queued');
  });

  it('waits on for a child that is retried', async () => {
    const { parent, children } = await parkedParent(pg.database, 2);
    await failWork(pg.database, await beginFocus(pg.database, { id: children[0]! }), ERROR, null);
    await pg.database.query('select animus.retry_work($1)', [children[0]]);
    await completeWork(pg.database, await beginFocus(pg.database, { id: children[1]! }), {}, null);
    expect(await stateOf(pg.database, parent.id)).toBe('waiting');
    await completeWork(pg.database, await beginFocus(pg.database, { id: children[0]! }), {}, null);
    expect(await stateOf(pg.database, parent.id)).toBe('queued');
  });

  it('waits for the item into which a child was merged, and for one that is retried after it had ended', async () => {
    const { database: db } = pg;
    const faculty = `f${randomUUID()}`;
    const other = await db.query<{ id: string }>(
      `insert into animus.work_items (faculty, dedup_key) values ($1, 'k') returning id`,
      [faculty],
    );
    const target = other[0]!.id;
    const parent = await runningParent(db);
    const merged = await spawn(db, parent, { faculty, dedupKey: 'k' });
    expect(merged).toMatchObject({ state: 'merged', mergedInto: target });
    const second = await spawn(db, parent);
    await failWork(db, await beginFocus(db, { id: target }), ERROR, null);
    // Ended when the wait begins, and open again before the other child ends.
    await await_(db, parent);
    await parkWork(db, parent);
    await db.query('select animus.retry_work($1)', [target]);
    await completeWork(db, await beginFocus(db, { id: second.id }), {}, null);
    expect(await stateOf(db, parent.id)).toBe('waiting');
    await completeWork(db, await beginFocus(db, { id: target }), { answer: 42 }, null);
    expect(await stateOf(db, parent.id)).toBe('queued');
    expect(await readChildren(db, parent.id, [merged.id])).toMatchObject([
      { mergedInto: target, state: 'completed', ended: true, visible: true, outcome: '{"answer": 42}' },
    ]);
  });

  it('goes on at its deadline, and the later end of a child changes nothing', async () => {
    const { database: db } = pg;
    const parent = await runningParent(db);
    const { id } = await spawn(db, parent);
    await await_(db, parent, { deadline: new Date(Date.now() - 1000) });
    await parkWork(db, parent);
    await resolveDueWaits(db, 100);
    expect(await stateOf(db, parent.id)).toBe('queued');
    await completeWork(db, await beginFocus(db, { id }), {}, null);
    expect(await readWaits(db, parent.id)).toMatchObject([{ result: { timed_out: true } }]);
  });
});

describe('on the embedded database', () => {
  const embedded = embeddedDatabase();
  it('a parent is woken, too', async () => {
    const { database: db } = embedded;
    const { parent, children } = await parkedParent(db, 2);
    for (const id of children) await completeWork(db, await beginFocus(db, { id }), {}, null);
    expect(await stateOf(db, parent.id)).toBe('queued');
  });
});
