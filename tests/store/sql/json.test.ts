/** What Postgres would refuse is replaced, in values and in names; everything else is kept. */
import { expect, it } from 'vitest';
import { toJsonb } from '../../../src/store/sql/json.ts';
import { testDatabase } from '../../support/database.ts';

const pg = testDatabase();

it.each([
  ['values', { a: 'x\0y', b: ['\ud800', '\udfffz'] }, { a: 'x\ufffdy', b: ['\ufffd', '\ufffdz'] }],
  ['names', { '\0a': { '\udc00': '\ud83d\ude00' } }, { '\ufffda': { '\ufffd': '\ud83d\ude00' } }],
  ['nothing of what only looks like an escape', { '\\u0000': '\\\\ud800 \\\0' }, { '\\u0000': '\\\\ud800 \\\ufffd' }],
  ['nothing of other escapes', { a: '\u0001\n"\\"' }, { a: '\u0001\n"\\"' }],
])('%s', async (_what, value, kept) => {
  const [row] = await pg.database.query<{ value: unknown }>(
    `select r.value from json_to_recordset($1::json) as r (value jsonb)`,
    [toJsonb([{ value }])],
  );
  expect(row!.value).toEqual(kept);
});
