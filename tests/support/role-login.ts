/** Logins for a test that are members of animus's roles, as an operator of a server would create them. */
import { randomBytes } from 'node:crypto';
import { asAdmin } from './database.ts';

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
    for (const login of logins) await admin.query(`drop role ${login}`);
  });
}
