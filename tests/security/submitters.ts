/** Logins that only submit, for tests of what they learn of each other. */
import { randomBytes } from 'node:crypto';
import { afterAll } from 'vitest';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import type { Database, Queryable } from '../../src/store/sql/database.ts';
import { createLogin, dropLogins } from '../support/role-login.ts';

/** Opens logins of these roles on the owner's database until the tests of the file have ended. */
export function openLogins(owner: () => Database): (role?: string) => Promise<Database> {
  const logins: string[] = [];
  const open: Database[] = [];
  afterAll(async () => {
    for (const db of open) await db.close();
    await dropLogins(logins);
  });
  return async (role = 'animus_submitter') => {
    const db = openPostgres(await createLogin(owner().connectionString, role, logins), { poolSize: 3 });
    open.push(db);
    return db;
  };
}

export interface Submitted {
  readonly id: string;
  readonly state: string;
  readonly merged_into: string | null;
}

/** A key, and the faculty of its items: so that a test claims what it means. */
export const newKey = () => `k${randomBytes(6).toString('hex')}`;
export const submit = async (db: Queryable, key: string, door = 'submit_work') =>
  (
    await db.query<Submitted>(`select id, state, merged_into from animus.${door}($1, 'Look', dedup_key => $1)`, [key])
  )[0]!;
