import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { migrate } from '../../../src/store/migrations/migrate.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import { asAdmin, databaseUrl } from '../../support/database.ts';

test.each(['LATIN1', 'SQL_ASCII'])(
  'a database in %s is refused before anything is created, with what to do',
  async (encoding) => {
    const name = `animus_test_${randomBytes(6).toString('hex')}`;
    await asAdmin((admin) =>
      admin.query(
        `create database ${name} template template0 locale_provider libc encoding '${encoding}' lc_collate 'C' lc_ctype 'C'`,
      ),
    );
    const db = openPostgres(databaseUrl(name), { poolSize: 1 });
    try {
      await expect(migrate(db)).rejects.toMatchObject({
        code: 'db.refused',
        message: expect.stringMatching(new RegExp(`encoding is ${encoding}, animus needs UTF8: create database`)),
      });
      expect(await db.query(`select nspname from pg_namespace where nspname in ('animus', 'pgmq')`)).toEqual([]);
    } finally {
      await db.close();
      await asAdmin((admin) => admin.query(`drop database ${name} with (force)`));
    }
  },
);
