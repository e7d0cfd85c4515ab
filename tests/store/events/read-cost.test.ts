import { expect, test } from 'vitest';
import { BEGINNING, type Position } from '../../../src/store/events/position.ts';
import { readPages } from '../../../src/store/events/read-events.ts';
import type { Queryable } from '../../../src/store/sql/database.ts';
import { beginFocus, type FocusedWork } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';

const pg = testDatabase();

test('what was read is not read again: the next turn of a long focus costs as much as that of a short one', async () => {
  const work = await beginFocus(pg.database);
  await addTurns(work, 1, 10);
  const early = await readNext(work, 11);
  await addTurns(work, 12, 400);
  const late = await readNext(work, 401);
  expect(early).toBeGreaterThan(0);
  expect(late).toBeLessThanOrEqual(early + 2);
});

/** How many turns and calls are fetched to read what a turn adds. */
async function readNext(work: FocusedWork, turn: number): Promise<number> {
  const from = await readAll(work);
  await addTurns(work, turn, turn);
  return pg.database.transaction(async (tx) => {
    const before = await fetched(tx);
    const [page] = await readPages(tx, [{ id: work.id, from }]);
    expect(page!.events.map(({ event }) => event.type)).toEqual(['turn', 'call']);
    return (await fetched(tx)) - before;
  });
}

/** Of the session, up to now. */
async function fetched(db: Queryable): Promise<number> {
  const [row] = await db.query<{ rows: string }>(
    `select sum(idx_tup_fetch + seq_tup_read) as rows from pg_stat_xact_all_tables where relname in ('turns', 'tool_calls')`,
  );
  return Number(row!.rows);
}

async function readAll(work: FocusedWork): Promise<Position> {
  let from = BEGINNING;
  for (let more = true; more; ) {
    const [page] = await readPages(pg.database, [{ id: work.id, from }]);
    more = page!.more || page!.events.length > 0;
    from = page!.position;
  }
  return from;
}

async function addTurns({ key }: FocusedWork, first: number, last: number): Promise<void> {
  await pg.database.query(
    `with turn as (
       insert into animus.turns (focus_id, turn, provider, model, response, stop_reason, begun_at, recorded_at)
       select $1::uuid, n, 'p', 'm', '[]', 'tool_use', now(), now() from generate_series($2::int, $3::int) n returning turn)
     insert into animus.tool_calls (focus_id, turn, call_id, position, name, input, state, started_at)
     select $1::uuid, turn, 'a', 1, 'look', '{}', 'started', now() from turn`,
    [key.focusId, first, last],
  );
}
