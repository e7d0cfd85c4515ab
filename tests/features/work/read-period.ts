import { expect } from 'vitest';
import type { Queryable } from '../../../src/store/sql/database.ts';
import { eventually } from '../../support/eventually.ts';

/**
 * Has a reader in the background read from where it is up to now: it chooses a time, as if on another server before, and then reads what lies before it, unless a
 * transaction of that time is still open. The time is moved, because what is younger than some seconds is left for the next round.
 */
export async function readPeriod(
  db: Queryable,
  reader: string,
  read: (db: Queryable) => Promise<number | null>,
  open = false,
): Promise<void> {
  const change = (assignments: string) =>
    db.query(`update animus.periods_read set ${assignments} where reader = $1`, [reader]);
  // The first one of all makes the row.
  await read(db);
  await change(`closed = up_to, asked_xid = '9000000000000000000'`);
  expect(await read(db)).toBeNull();
  await change(`asked_at = asked_at + interval '1 hour'`);
  if (open) {
    expect(await read(db)).toBeNull();
  } else {
    // Other tests on the server have transactions, too.
    await eventually('all transactions of that time have ended', async () => read(db));
    while ((await read(db)) !== null) continue;
  }
  // What is younger than that has not been read.
  await change('up_to = least(up_to, clock_timestamp()), closed = least(closed, clock_timestamp())');
}
