/** The database of a page, for its SQL blocks. */
import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { openConfiguredDatabase } from '../../../src/store/open/open-database.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';
import { asAdmin, databaseUrl } from '../../support/database.ts';
import { createLogin, dropLogins } from '../../support/role-login.ts';
import { statementsOf } from './statements.ts';

export interface PageDatabase {
  /** For `DATABASE_URL`; null: the embedded one of the home. */
  readonly url: string | null;
  /** Runs the statements of a block as the owner, or as a login of its own with this role; resolves with the last rows. */
  run(sql: string, role: string, home: string): Promise<readonly Record<string, unknown>[]>;
  /** Removes it, its logins, and connections to it. */
  remove(): Promise<void>;
}

/** A migrated database on the test server. Each role has one session, as an application has. */
export async function serverDatabase(): Promise<PageDatabase> {
  const name = `animus_docs_${randomBytes(6).toString('hex')}`;
  const url = databaseUrl(name);
  await asAdmin((admin) => admin.query(`create database ${name} template ${inject('templateDatabase')}`));
  const sessions = new Map<string, Database>();
  const logins: string[] = [];
  return {
    url,
    async run(sql, role) {
      if (!sessions.has(role)) {
        const login = role === '' ? url : await createLogin(url, role, logins);
        sessions.set(role, openPostgres(login, { poolSize: 1 }));
      }
      return runEach(sessions.get(role)!, sql);
    },
    async remove() {
      await Promise.all([...sessions.values()].map((session) => session.close()));
      await asAdmin((admin) => admin.query(`drop database if exists ${name} with (force)`));
      await dropLogins(logins);
    },
  };
}

/** The embedded one of the home, as a command uses it: that of a running daemon, or opened for the block. */
export const embeddedDatabase: PageDatabase = {
  url: null,
  async run(sql, role, home) {
    if (role !== '') throw new Error(`the embedded database has no logins for ${role}: say database=server`);
    const database = await openConfiguredDatabase({ home, databaseUrl: null }, { role: 'command', log: silentLog });
    try {
      return await runEach(database, sql);
    } finally {
      await database.close();
    }
  },
  remove: async () => undefined,
};

async function runEach(database: Database, sql: string): Promise<readonly Record<string, unknown>[]> {
  let rows: readonly Record<string, unknown>[] = [];
  for (const statement of statementsOf(sql)) rows = await database.query(statement);
  return rows;
}
