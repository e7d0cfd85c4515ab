import { beforeEach, describe, expect, test } from 'vitest';
import { LEDGER_TYPES } from '../../../src/core/work/work.ts';
import { appendLedger, readChainLedger } from '../../../src/store/transcript/ledger.ts';
import { completeWork } from '../../../src/store/work/work.ts';
import { testDatabase } from '../../support/database.ts';
import { claimOne, codeOf, DAEMON, emptyQueue, insertWork } from '../work/queue-driver.ts';

const target = testDatabase();
beforeEach(() => emptyQueue(target.database));

describe('append_ledger', () => {
  test('numbers entries without gaps under twenty concurrent writers, some of which roll back', async () => {
    const [one, two] = [await insertWork(target.database), await insertWork(target.database)];
    const pool = target.open({ poolSize: 20 });
    await Promise.all(
      Array.from({ length: 20 }, async (_, writer) => {
        for (let n = 0; n < 15; n++) {
          const rolledBack = pool.transaction(async (tx) => {
            await appendLedger(tx, one, 'note', 'never was');
            throw new Error('rolled back');
          });
          await expect(rolledBack).rejects.toThrow('rolled back');
          await appendLedger(pool, n % 3 === 0 ? two : one, 'note', `${writer}/${n}`);
        }
      }),
    );
    for (const [id, count] of [
      [one, 200],
      [two, 100],
    ] as const) {
      const entries = await readChainLedger(target.database, id);
      expect(entries.map((entry) => entry.seq)).toEqual(Array.from({ length: count }, (_, n) => n + 1));
      expect(entries.some((entry) => entry.content === 'never was')).toBe(false);
    }
  });

  test('accepts every type and any Unicode, and refuses invalid entries', async () => {
    const id = await insertWork(target.database);
    for (const type of LEDGER_TYPES) await appendLedger(target.database, id, type, `🧵 ${type}\u0000\ud800`);
    expect((await readChainLedger(target.database, id, { last: 2 })).map((entry) => entry.content)).toEqual([
      '🧵 error��',
      '🧵 note��',
    ]);
    expect(await codeOf(appendLedger(target.database, id, 'thought' as never, 'x'))).toBe('work.invalid');
    expect(await codeOf(appendLedger(target.database, id, 'note', ''))).toBe('work.invalid');
    expect(await codeOf(appendLedger(target.database, DAEMON, 'note', 'x'))).toBe('work.not_found');
  });

  test('by an operator works even after the end, by a focus only while it holds the lease', async () => {
    await insertWork(target.database);
    const work = await claimOne(target.database);
    expect(await appendLedger(target.database, work.id, 'note', 'mine', { leaseToken: work.leaseToken })).toBe(1);
    await completeWork(target.database, work, {}, null);
    expect(await appendLedger(target.database, work.id, 'note', 'afterwards')).toBe(2);
    expect(await codeOf(appendLedger(target.database, work.id, 'note', 'late', { leaseToken: work.leaseToken }))).toBe(
      'work.lease_lost',
    );
  });
});

describe('written entries', () => {
  test.each(['animus.work_ledger', 'animus.decisions'])(
    'are kept: %s refuses update, delete and truncate',
    async (table) => {
      const id = await insertWork(target.database);
      await appendLedger(target.database, id, 'note', 'x');
      await target.database.query('select animus.cancel_work($1)', [id]);
      await target.database.query('select animus.pause()');
      const column = table === 'animus.decisions' ? 'note' : 'content';
      for (const statement of [`update ${table} set ${column} = 'y'`, `delete from ${table}`, `truncate ${table}`])
        expect(await codeOf(target.database.query(statement))).toBe('work.state');
      expect(await codeOf(target.database.query('truncate animus.work_items cascade'))).toBe('work.state');
    },
  );

  test('are deleted with their item; decisions about it are kept', async () => {
    const id = await insertWork(target.database);
    await appendLedger(target.database, id, 'note', 'x');
    await target.database.query('select animus.cancel_work($1)', [id]);
    await target.database.query('delete from animus.work_items where id = $1', [id]);
    const [row] = await target.database.query(
      `select (select count(*)::int from animus.work_ledger) as entries, (select count(*)::int from animus.decisions where work_item_id = $1) as decisions`,
      [id],
    );
    expect(row).toEqual({ entries: 0, decisions: 1 });
  });
});
