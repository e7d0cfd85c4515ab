/** Submits the demo's work with one plain SQL insert, which is also shown to the user. */
import type { Queryable } from '../sql/database.ts';
import { readValue } from '../sql/read-value.ts';

/** The statement, as one would type it into psql. */
export const DEMO_INSERT = `insert into animus.work_items (faculty, description, params)
values ('engineer',
        'A test of the calendar program fails. Find the cause and fix it; do not touch the tests.',
        '{"expect_changed": ["src/calendar.js"]}')`;

/** Runs the insert and returns the new item's id. */
export async function insertDemoWork(db: Queryable): Promise<string> {
  return readValue<string>(db, `${DEMO_INSERT} returning id`);
}
