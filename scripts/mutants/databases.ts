/** The server of all tests of all mutants, and the databases that they clone. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { migrate } from '../../src/store/migrations/migrate.ts';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import type { Database } from '../../src/store/sql/database.ts';
import { embeddedTemplate } from '../../tests/support/embedded-template.ts';
import { startPostgresServer } from '../../tests/support/postgres-server.ts';

export interface Databases {
  readonly url: string;
  /** Of the unchanged sources. */
  readonly template: string;
  /** The home of an embedded database of the unchanged sources. */
  readonly embedded: string;
  /** Makes a template with the functions of another directory of migrations. Errors: they are not SQL. */
  mutate(name: string, migrations: string): Promise<void>;
  drop(name: string): Promise<void>;
  stop(): Promise<void>;
}

const TEMPLATE = 'animus_mutants';

/** `directory`: for the copy of the embedded database. Test runs in the repository remove the original when its sources change. */
export async function startDatabases(directory: string): Promise<Databases> {
  const embedded = join(directory, 'embedded');
  cpSync(await embeddedTemplate(), embedded, { recursive: true });
  // A query of a mutant that was killed would go on.
  const server = await startPostgresServer(['-c', 'client_connection_check_interval=1s']);
  const admin = openPostgres(server.url, { poolSize: 1 });
  const stop = async () => {
    await admin.close();
    await server.stop();
  };
  const drop = async (name: string) => {
    await admin.query(`drop database if exists ${name} with (force)`);
  };
  const mutate = async (name: string, migrations: string) => {
    await drop(name);
    await admin.query(`create database ${name} template ${TEMPLATE}`);
    await onDatabase(server.url, name, (database) => migrate(database, { directory: migrations }));
  };
  try {
    await admin.query(`create database ${TEMPLATE} template template0`);
    await onDatabase(server.url, TEMPLATE, (database) => migrate(database));
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: server.url, template: TEMPLATE, embedded, mutate, drop, stop };
}

async function onDatabase(url: string, name: string, work: (database: Database) => Promise<unknown>): Promise<void> {
  const target = new URL(url);
  target.pathname = `/${name}`;
  const database = openPostgres(target.href, { poolSize: 1 });
  try {
    await work(database);
  } finally {
    await database.close();
  }
}
