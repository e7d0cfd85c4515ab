import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { completeWork, failWork, releaseWork } from '../../../src/store/work/work.ts';
import { testDatabase } from '../../support/database.ts';
import { claim, emptyQueue, faculties, insertWork, openTransaction, readWork, stateOf } from './queue-driver.ts';

const target = testDatabase();
beforeEach(() => emptyQueue(target.database));

describe('a concurrency key', () => {
  test('lets one of its items run at a time, across faculties, best first', async () => {
    const of = faculties('engineer', 'writer');
    const ids = [
      await insertWork(target.database, { concurrency_key: 'repo' }),
      await insertWork(target.database, { concurrency_key: 'repo', faculty: 'writer' }),
      await insertWork(target.database, { concurrency_key: 'repo', priority: 3 }),
      await insertWork(target.database, { concurrency_key: 'other' }),
    ];
    const first = await claim(target.database, 9, of);
    expect(first.map((work) => work.id)).toEqual([ids[2], ids[3]]);
    expect(await claim(target.database, 9, of)).toEqual([]);
    await completeWork(target.database, first[0]!, {}, null);
    const second = await claim(target.database, 9, of);
    expect(second).toHaveLength(1);
    await completeWork(target.database, second[0]!, {}, null);
    const third = await claim(target.database, 9, of);
    expect(new Set([second[0]!.id, third[0]!.id])).toEqual(new Set([ids[0], ids[1]]));
  });

  test('is exact under races and never stuck', async () => {
    const of = faculties('engineer', 'writer', ['single', { max: 1 }]);
    await target.database.query(
      `insert into animus.work_items (faculty, concurrency_key, priority)
       select (array['engineer', 'writer', 'single'])[1 + n % 3], 'key ' || n % 4, n % 5 from generate_series(1, 160) n`,
    );
    const pool = target.open({ poolSize: 10 });
    let done = 0;
    await Promise.all(
      Array.from({ length: 10 }, async (_, n) => {
        const daemon = randomUUID();
        for (let idle = 0; done < 160; ) {
          const work = await claim(pool, 3, of, daemon);
          idle = work.length === 0 ? idle + 1 : 0;
          if (idle > 300) return;
          for (const [m, one] of work.entries()) {
            // The unique index on active keys is a second check: a second holder would have failed the claim.
            if ((n + m) % 4 === 0) await releaseWork(pool, one, { delaySeconds: 0, reason: 'test', cause: 'test' });
            else {
              await completeWork(pool, one, {}, null);
              done++;
            }
          }
        }
      }),
    );
    expect(done).toBe(160);
  });

  test('passes on when its holder fails for good', async () => {
    const { work, head } = await twoBehind();
    await failWork(target.database, work, { code: 'x', message: 'x' }, null);
    await nextIs(head);
  });

  test('passes on when its holder will be retried later', async () => {
    const { work, head } = await twoBehind();
    await failWork(target.database, work, { code: 'x', message: 'x' }, 60);
    await nextIs(head);
  });

  test('passes on when its holder is released, which then competes again', async () => {
    const { work } = await twoBehind();
    await releaseWork(target.database, work, { delaySeconds: 0, reason: 'test', cause: 'test' });
    await nextIs(work.id);
  });

  test('skips a waiting item that is cancelled', async () => {
    const { work, head, tail } = await twoBehind();
    await target.database.query('select animus.cancel_work($1)', [head]);
    await completeWork(target.database, work, {}, null);
    await nextIs(tail);
  });

  test('skips a waiting item that is cancelled after it was offered the key', async () => {
    const { work, head, tail } = await twoBehind();
    await completeWork(target.database, work, {}, null);
    await target.database.query('select animus.pause()');
    expect(await claim(target.database, 9)).toEqual([]);
    expect(await readWork(target.database, head)).toMatchObject({ key_blocked: false });
    await target.database.query('select animus.cancel_work($1)', [head]);
    await target.database.query('select animus.resume()');
    await nextIs(tail);
  });

  test('is not blocked by a waiting item of a faculty that nobody serves', async () => {
    const holder = await insertWork(target.database, { concurrency_key: 'k', priority: 9 });
    const stranger = await insertWork(target.database, { concurrency_key: 'k', priority: 5, faculty: 'writer' });
    const tail = await insertWork(target.database, { concurrency_key: 'k' });
    const [work] = await claim(target.database, 9, faculties('engineer', 'writer'));
    expect(work!.id).toBe(holder);
    await completeWork(target.database, work!, {}, null);
    const [next] = await claim(target.database, 9);
    expect(next!.id).toBe(tail);
    await completeWork(target.database, next!, {}, null);
    expect((await claim(target.database, 9, faculties('writer'))).map((one) => one.id)).toEqual([stranger]);
  });

  test('waits for a holder whose end is not committed yet, without stopping the queue', async () => {
    const { work, head, tail } = await twoBehind();
    const free = await insertWork(target.database);
    const open = await openTransaction(target.database, async (tx) => completeWork(tx, work, {}, null));
    const late = await insertWork(target.database, { concurrency_key: 'k', priority: 7 });
    await nextIs(free);
    await open.end('commit');
    await nextIs(late);
    expect(await stateOf(target.database, head)).toBe('queued');
    expect(await stateOf(target.database, tail)).toBe('queued');
  });

  test('is not lost if the item that is offered it is locked at that moment', async () => {
    const { work, head, tail } = await twoBehind();
    await completeWork(target.database, work, {}, null);
    const open = await openTransaction(target.database, async (tx) => {
      await tx.query('select from animus.work_items where id = any ($1) for update', [[head, tail]]);
    });
    expect(await claim(target.database, 9)).toEqual([]);
    await open.end('rollback');
    await nextIs(head);
  });

  test('keeps claims cheap: a thousand waiting items of one busy key do not hide the items behind them', async () => {
    await target.database.query(
      `insert into animus.work_items (faculty, concurrency_key, priority) select 'engineer', 'k', 1 from generate_series(1, 1000)`,
    );
    const behind = await insertWork(target.database);
    expect((await claim(target.database, 2)).map((work) => work.id)).toContain(behind);
  });
});

/** Two items of a key wait behind a holder; the action on the holder or the first waiting item frees the other. */
async function twoBehind() {
  const holder = await insertWork(target.database, { concurrency_key: 'k', priority: 9 });
  const head = await insertWork(target.database, { concurrency_key: 'k', priority: 5 });
  const tail = await insertWork(target.database, { concurrency_key: 'k' });
  const [work] = await claim(target.database, 9);
  expect(work!.id).toBe(holder);
  for (const id of [head, tail]) expect(await readWork(target.database, id)).toMatchObject({ key_blocked: true });
  return { work: work!, head, tail };
}

async function nextIs(id: string): Promise<void> {
  expect((await claim(target.database, 9)).map((work) => work.id)).toEqual([id]);
}
