/** Promise: whatever the collation of a database, and whoever provides it, animus installs there and does what it does elsewhere. */
import { describe, expect, test } from 'vitest';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import { asAdmin, databaseUrl } from '../../support/database.ts';
import { APPLICATION, asAnimus, asApplication, install, RIGHT } from './setting-matrix.ts';

const VERSION = `current_setting('server_version_num')::int`;
const ICU = `select 'icu' from pg_collation where collprovider = 'i' limit 1`;
const OF_A_LANGUAGE = `select collname from pg_collation where collprovider = 'c' and collname ~* '^[a-z]{2}_[A-Z]{2}.utf-?8$' order by 1 limit 1`;

/** `needs` reads what the server must have; it stands for `$` in the options of the database. */
describe.each([
  { name: 'C', needs: `select 'C'`, options: `locale '$'` },
  {
    name: 'C.utf8 of libc',
    needs: `select collname from pg_collation where collname = 'C.utf8'`,
    options: `locale '$'`,
  },
  { name: 'a language of libc', needs: OF_A_LANGUAGE, options: `locale '$'` },
  { name: 'any language of ICU', needs: ICU, options: `locale 'C' locale_provider $ icu_locale 'und'` },
  { name: 'German of ICU', needs: ICU, options: `locale 'C' locale_provider $ icu_locale 'de-u-ks-level1'` },
  {
    name: 'C.UTF-8 of PostgreSQL',
    needs: `select 'builtin' where ${VERSION} >= 170000`,
    options: `locale_provider $ builtin_locale 'C.UTF-8' locale 'C'`,
  },
  {
    name: 'Unicode of PostgreSQL',
    needs: `select 'builtin' where ${VERSION} >= 180000`,
    options: `locale_provider $ builtin_locale 'PG_UNICODE_FAST' locale 'C'`,
  },
])('the collation $name', ({ name, needs, options }) => {
  test('changes nothing', async (context) => {
    const database = `animus_test_collation_${crypto.randomUUID().slice(0, 8)}`;
    const has = await asAdmin(async (admin) => {
      const [row] = await admin.query<Record<string, string>>(needs);
      if (row !== undefined)
        await admin.query(
          `create database ${database} template template0 ${options.replace('$', Object.values(row)[0]!)}`,
        );
      return row !== undefined;
    });
    if (!has) return context.skip(`the server does not have ${name}`);
    const session = openPostgres(databaseUrl(database), { poolSize: 2 });
    try {
      expect(await install(session)).toBeGreaterThan(60);
      expect(await asAnimus(session)).toEqual(RIGHT);
      await session.query('delete from animus.schedules');
      expect(await asApplication(databaseUrl(database))).toEqual(APPLICATION);
    } finally {
      await session.close();
      await asAdmin((admin) => admin.query(`drop database ${database} with (force)`));
    }
  });
});
