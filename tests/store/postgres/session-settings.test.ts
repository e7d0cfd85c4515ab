import { expect, test } from 'vitest';
import { testDatabase } from '../../support/database.ts';

const target = testDatabase({ empty: true });

test('times that RFC 3339 does not have become the nearest that it has', async () => {
  const [row] = await target.database.query<Record<string, Date | null>>(
    `select 'infinity'::timestamptz as a, '-infinity'::timestamptz as b, '290000-01-01Z'::timestamptz as c, '4713-01-02 BC'::timestamp as d,
            null::timestamptz as e, '2026-11-22T23:10:04.218Z'::timestamptz as f`,
  );
  expect(Object.values(row!).map((at) => at && at.toISOString())).toEqual([
    '9999-12-31T23:59:59.999Z',
    '0000-01-01T00:00:00.000Z',
    '9999-12-31T23:59:59.999Z',
    '0000-01-01T00:00:00.000Z',
    null,
    '2026-11-22T23:10:04.218Z',
  ]);
});
