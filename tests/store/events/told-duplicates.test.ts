import { expect, test } from 'vitest';
import { readEvents } from '../../../src/store/events/read-events.ts';
import { sayWork } from '../../../src/store/work/say-work.ts';
import { beginFocus } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';

const pg = testDatabase();

test('a duplicate that is told of in a transaction that commits late is not lost: its event is the delivery', async () => {
  const db = pg.database;
  await db.query(`insert into animus.told_faculties values ('told')`);
  const insert = `insert into animus.work_items (faculty, dedup_key, description) values ('told', 'k', $1) returning id`;
  const [item] = await db.query<{ id: string }>(insert, ['first']);
  const { id } = item!;
  const read = async (after: string | null) => (await readEvents(db, { kind: 'work', id }, after)).events;
  let last: string | null = null;
  await db.transaction(async (open) => {
    // Takes its number in the mailbox now.
    await open.query(insert, ['once more']);
    await sayWork(db, id, 'hello');
    const seen = await read(null);
    expect(seen.at(-1)).toMatchObject({ type: 'message', text: 'hello', deliveredWith: null });
    last = seen.at(-1)!.id;
  });
  expect(await read(last)).toEqual([]);
  const work = await beginFocus(db, { id });
  await db.query('select animus.begin_turn($1, $2, 1)', [work.key.focusId, work.leaseToken]);
  expect(await read(last)).toMatchObject([
    { type: 'state', state: 'running' },
    { type: 'message', authorIs: 'duplicate', text: 'once more', deliveredWith: 1 },
    { type: 'message', authorIs: 'operator', text: null, deliveredWith: 1 },
  ]);
});
