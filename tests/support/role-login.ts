/** Logins of a test's own that are members of animus's roles, as an operator of a server would make them. */
import { randomBytes } from 'node:crypto';
import { asAdmin } from './database.ts';

/** The connection string of a new login of this role, to the same database. Drop it with `dropLogins`. */
export async function createLogin(connectionString: string, role: string, logins: string[]): Promise<string> {
  const login = `animus_test_${randomBytes(5).toString('hex')}`;
  await asAdmin((admin) => admin.query(`create role ${login} login password 'p' in role ${role}`));
  logins.push(login);
  const url = new URL(connectionString);
  [url.username, url.password] = [login, 'p'];
  return url.href;
}

/** Their connections must be closed. */
export async function dropLogins(logins: readonly string[]): Promise<void> {
  await asAdmin(async (admin) => {
    for (const login of logins) await admin.query(`drop role ${login}`);
  });
}
