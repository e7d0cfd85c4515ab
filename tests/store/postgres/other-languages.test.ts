/** Promise: what animus makes of an error does not depend on the language of the server's messages. */
import { DatabaseError } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { AnimusError, errorOf } from '../../../src/core/errors/errors.ts';
import { migrate } from '../../../src/store/migrations/migrate.ts';
import { explainRefusal } from '../../../src/store/postgres/explain-refusal.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { connectError } from '../../../src/store/sql/database-errors.ts';
import { testDatabase } from '../../support/database.ts';
import { createLogin, dropLogins } from '../../support/role-login.ts';

const target = testDatabase();
const empty = testDatabase({ empty: true });

test.each([
  ['select from animus.work_items', 'keine Berechtigung für Tabelle work_items', 'animus_reader or animus_operator'],
  ['select from animus.audit', 'droit refusé pour la vue audit', 'animus_reader or animus_operator'],
  ['select animus.pause()', '関数pauseへのアクセスが拒否されました', 'animus_operator'],
])('%s: who may is named beside «%s»', async (sql, words, roles) => {
  const db = await login('animus_submitter');
  const refused: unknown = await db.query(sql).catch((error: unknown) => error);
  const explained = await explainRefusal(inOtherWords(refused, words), sql, db);
  expect(String(explained)).toContain(`${words}; the login`);
  expect(String(explained)).toContain(`has animus_submitter, and this needs ${roles}; an administrator grants it`);
});

test('a role that may not create schemas is told what to grant', async () => {
  const db = await login('animus_submitter', empty.connectionString);
  const german: Database = {
    ...db,
    query: async (sql, params) =>
      db.query(sql, params).catch((error: unknown) => {
        throw inOtherWords(error, 'keine Berechtigung für Datenbank animus');
      }) as Promise<never>,
  };
  await expect(migrate(german)).rejects.toMatchObject({
    code: 'db.refused',
    message: expect.stringMatching(/keine Berechtigung .*; the schema animus needs .* grant create on database/),
  });
});

test('a connection that pg_hba.conf does not let in is told about encryption', () => {
  const error = new DatabaseError('kein pg_hba.conf-Eintrag für Host »10.0.0.1«, keine Verschlüsselung', 100, 'error');
  Object.assign(error, { code: '28000', severity: 'FATAL', routine: 'ClientAuthentication' });
  expect(connectError(error, 'db:5432/work', '')).toMatchObject({
    code: 'db.refused',
    message: expect.stringContaining('if it is not encrypted, add ?sslmode=require'),
  });
});

async function login(role: string, url = target.connectionString): Promise<Database> {
  const logins: string[] = [];
  const db = openPostgres(await createLogin(url, role, logins), { poolSize: 1 });
  onTestFinished(async () => {
    await db.close();
    await dropLogins(logins);
  });
  return db;
}

/** The same error, with all its fields, as a server with other lc_messages sends it. */
function inOtherWords(error: unknown, words: string): unknown {
  if (!(error instanceof AnimusError) || error.code !== 'db.forbidden') return error;
  const cause = Object.assign(new DatabaseError(words, words.length, 'error'), { ...error.cause!, message: words });
  return errorOf('db.forbidden', { ...error.details, detail: words, hint: '' }, { cause });
}
