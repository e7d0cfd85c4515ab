/** Puts the database's clock under a test's control. */
import type { Queryable } from '../../src/store/sql/database.ts';

export interface DatabaseClock {
  /** Advances the clock of this database by this many seconds. */
  advance(seconds: number): Promise<void>;
}

/**
 * Replaces `animus.now()` in the test's own database with a version that reads a table: time stands still until `advance` moves it.
 * Starts at the real time. Every connection of the database sees the same clock.
 */
export async function fakeDatabaseClock(db: Queryable): Promise<DatabaseClock> {
  await db.query('create table if not exists animus.fake_now (at timestamptz not null)');
  await db.query('truncate animus.fake_now');
  await db.query('insert into animus.fake_now (at) values (clock_timestamp())');
  await db.query(`create or replace function animus.now() returns timestamptz
    language sql volatile parallel safe as $$ select at from animus.fake_now $$`);
  return {
    async advance(seconds) {
      await db.query('update animus.fake_now set at = at + make_interval(secs => $1)', [seconds]);
    },
  };
}
