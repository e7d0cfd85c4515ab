import { expect, test } from 'vitest';
import { submitWork } from '../../../src/store/work/submit-work.ts';
import { testDatabase } from '../../support/database.ts';

const target = testDatabase();

test('what is given is what the item has, and the rest is what the table says', async () => {
  const db = target.database;
  const runAt = new Date(Date.now() + 3_600_000);
  const given = {
    description: 'Do it',
    params: { n: 1 },
    skill: 'tests',
    dedupKey: 'once',
    priority: 3,
    runAt,
    source: 'cron',
    triggerInfo: { at: 'noon' },
    traceContext: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    concurrencyKey: 'one',
    batch: true,
  };
  const { id } = await submitWork(db, { faculty: 'writer', ...given });
  const plain = await submitWork(db, { faculty: 'writer' });
  const rows = await db.query(
    `select description, params, skill, dedup_key as "dedupKey", priority, run_at as "runAt", source, trigger_info as "triggerInfo",
            trace_context as "traceContext", concurrency_key as "concurrencyKey", batch from animus.work_items where id = any ($1) order by id = $2`,
    [[id, plain.id], plain.id],
  );
  expect(rows[0]).toEqual(given);
  expect(rows[1]).toEqual({
    description: '',
    params: {},
    skill: null,
    dedupKey: null,
    priority: 0,
    runAt: null,
    source: 'sql',
    triggerInfo: null,
    traceContext: null,
    concurrencyKey: null,
    batch: null,
  });
});
