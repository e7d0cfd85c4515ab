/** Logins for a test that are members of animus's roles, as an operator of a server would create them. */
import { randomBytes } from 'node:crypto';
import { asAdmin } from './database.ts';
import { eventually } from './eventually.ts';

/** Creates a login with this role and returns its connection string to the same database. Drop it with `dropLogins`. */
export async function createLogin(connectionString: string, role: string, logins: string[]): Promise<string> {
  const login = `animus_test_${randomBytes(5).toString('hex')}`;
  await asAdmin((admin) => admin.query(`create role ${login} login password 'p' in role ${role}`));
  logins.push(login);
  const url = new URL(connectionString);
  [url.username, url.password] = [login, 'p'];
  return url.href;
}

/** Drops the logins. Their connections must be closed. */
export async function dropLogins(logins: readonly string[]): Promise<void> {
  await asAdmin(async (admin) => {
    // A backend drops what its session made in pg_temp after the client has gone.
    await eventually('the sessions of the logins end', async () => {
      const left = await admin.query('select from pg_stat_activity where usename = any ($1)', [logins]);
      return left.length === 0 ? true : null;
    });
    for (const login of logins) await admin.query(`drop role ${login}`);
  });
}
