import { expect, test } from 'vitest';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import { asAdmin, testDatabase } from '../../support/database.ts';
import { createLogin, dropLogins } from '../../support/role-login.ts';

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

test('a login for which no trigger runs is refused, because work would be damaged; one that may change that goes on', async () => {
  const logins: string[] = [];
  const url = await createLogin(target.connectionString, 'pg_read_all_stats', logins);
  await asAdmin((admin) => admin.query(`alter role ${logins[0]} set session_replication_role = 'replica'`));
  const db = openPostgres(url, { poolSize: 1 });
  const read = () => db.query('show session_replication_role');
  await expect(read()).rejects.toMatchObject({
    code: 'db.refused',
    message: expect.stringMatching(
      /with session_replication_role = replica no trigger runs, .+ alter role … set session_replication_role = 'origin'/,
    ),
  });
  await asAdmin((admin) => admin.query(`grant set on parameter session_replication_role to ${logins[0]}`));
  expect(await read()).toEqual([{ session_replication_role: 'origin' }]);
  await asAdmin((admin) => admin.query(`revoke set on parameter session_replication_role from ${logins[0]}`));
  await db.close();
  await dropLogins(logins);
});
