import type { Queryable } from '../../src/store/sql/database.ts';

/** Puts the database's clock (`animus.now()`) under the test's control, in a database of its own. */
export async function fakeDatabaseClock(db: Queryable, at: string) {
  await db.query('create table fake_clock (at timestamptz not null)');
  await db.query('insert into fake_clock values ($1)', [at]);
  await db.query(
    `create or replace function animus.now() returns timestamptz language sql volatile as 'select at from public.fake_clock'`,
  );
  return {
    /** Sets the clock to a time, or moves it by an interval such as `+1 hour`. */
    async set(to: string): Promise<void> {
      const sql = to.startsWith('+') ? 'update fake_clock set at = at + $1::interval' : 'update fake_clock set at = $1';
      await db.query(sql, [to.startsWith('+') ? to.slice(1) : to]);
    },
  };
}
