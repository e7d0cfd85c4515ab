/** Promise: with on_duplicate = "tell", each duplicate is told once, in the inserter's transaction, without a lock and within bounds. */
import { beforeEach, describe, expect, test } from 'vitest';
import { completeBatch } from '../../../src/store/work/claimed/complete-batch.ts';
import { registerDaemon } from '../../../src/store/work/daemons.ts';
import { beginFocus, claimable } from '../../support/begun-focus.ts';
import { beginTurn } from '../../support/begun-turn.ts';
import { testDatabase } from '../../support/database.ts';
import { emptyQueue, insertWork, openTransaction, stateOf } from './queue-driver.ts';

const target = testDatabase();
beforeEach(async () => {
  await emptyQueue(target.database);
  await publish('tell');
});

/** As a daemon does when it starts, or when its faculties have changed. */
async function publish(onDuplicate: 'tell' | 'merge'): Promise<void> {
  const [faculty] = Object.values(claimable('echo', true));
  await registerDaemon(target.database, {
    id: '00000000-0000-7000-8000-000000000001',
    host: 'h',
    pid: 1,
    version: 'test',
    maxConcurrent: 1,
    faculties: { echo: { ...faculty!, ...(onDuplicate === 'tell' && { on_duplicate: 'tell' }) } },
    problems: [],
  });
}

const insert = (description = '', params = {}, faculty = 'echo') =>
  insertWork(target.database, { faculty, description, params, dedup_key: 'k' });

async function told(id: string): Promise<{ text: string; duplicate_id: string; delivered: boolean }[]> {
  return target.database.query(
    `select text, duplicate_id, delivered_at is not null as delivered from animus.mailbox where work_item_id = $1 order by id`,
    [id],
  );
}

describe('a duplicate', () => {
  test('is told to the item it merges into, with description and parameters, and reaches its focus with the next turn', async () => {
    const id = await insert();
    const first = await insert('Also mind the ~~~~~~~~ stairs', { floor: 3 });
    const work = await beginFocus(target.database, { id });
    expect(await beginTurn(target.database, work.key, 1, 0)).toBe('mail');
    expect(await beginTurn(target.database, work.key, 1, 0)).toBe('go');
    const second = await insert();
    const text = 'Also mind the ~~~~~~~~ stairs\n\nParameters: {"floor": 3}';
    expect(await told(id)).toEqual([
      { text, duplicate_id: first, delivered: true },
      { text: '(no description)', duplicate_id: second, delivered: false },
    ]);
    const [message] = await target.database.query<{ content: string }>(
      `select content from animus.focus_messages where focus_id = $1 and kind = 'operator'`,
      [work.key.focusId],
    );
    expect(message!.content).toContain(`as work item ${first}, which was merged into yours`);
    expect(message!.content.endsWith(`\n~~~~~~~~~\n${text}\n~~~~~~~~~`)).toBe(true);
  });

  test('stops a completion, like a message of a person', async () => {
    const id = await insert();
    const work = await beginFocus(target.database, { id });
    await insert('and this');
    expect(await completeBatch(target.database, [{ ...work, outcome: {}, summary: null }])).toEqual(['mail']);
    expect(await stateOf(target.database, id)).toBe('queued');
  });

  test('in a transaction that stays open blocks no write of the focus, and is told when that commits', async () => {
    const id = await insert();
    const work = await beginFocus(target.database, { id });
    const open = await openTransaction(target.database, async (tx) => {
      await insertWork(tx, { faculty: 'echo', description: 'later', dedup_key: 'k' });
    });
    expect(await beginTurn(target.database, work.key, 1, 0)).toBe('go');
    await open.end('commit');
    expect(await beginTurn(target.database, work.key, 1, 0)).toBe('mail');
  });

  test('that is rolled back is not told', async () => {
    const id = await insert();
    const open = await openTransaction(target.database, async (tx) => {
      await insertWork(tx, { faculty: 'echo', dedup_key: 'k' });
    });
    await open.end('rollback');
    expect(await told(id)).toEqual([]);
  });

  test('of a thousand in one statement: a hundred are told, all merge, and long texts are cut', async () => {
    const id = await insert();
    await target.database.query(
      `insert into animus.work_items (faculty, dedup_key, description) select 'echo', 'k', 'n' || n from generate_series(1, 1000) n`,
    );
    expect(await told(id)).toHaveLength(100);
    const [merged] = await target.database.query(
      `select count(*)::int as n from animus.work_items where merged_into = $1`,
      [id],
    );
    expect(merged).toEqual({ n: 1000 });
  });

  test('with a megabyte of text is told in 16 KiB', async () => {
    const id = await insert();
    await insert('x'.repeat(1_000_000), { y: 'z'.repeat(1_000_000) });
    const [one] = await told(id);
    expect(one!.text.length).toBeLessThan(17_000);
    expect(one!.text).toContain('the whole text has 1000000 bytes');
  });

  test('only merges where the faculty says so now, or another faculty has it', async () => {
    const other = await insert('', {}, 'other');
    await insert('', {}, 'other');
    expect(await told(other)).toEqual([]);
    await publish('merge');
    const id = await insert();
    await insert();
    expect(await told(id)).toEqual([]);
  });
});
