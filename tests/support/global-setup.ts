/** One PostgreSQL server for the whole run, with a template database that every test file clones. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import type { TestProject } from 'vitest/node';
import { migrate } from '../../src/store/migrations/migrate.ts';
import { MIGRATIONS_DIRECTORY } from '../../src/store/migrations/migration-files.ts';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import { COUNTING } from '../counts/meter.ts';
import { embeddedTemplate } from './embedded-template.ts';
import { removeLeftDirectories } from './memory-directory.ts';
import { startPostgresServer } from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Connection string of a superuser to the maintenance database of the test server. */
    postgresUrl: string;
    /** The migrated database to clone. */
    templateDatabase: string;
    /** The home of a migrated embedded database, for copying. */
    embeddedTemplate: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  removeLeftDirectories();
  const given = process.env['ANIMUS_TEST_DATABASE_URL'];
  const [server, embedded] = await Promise.all([given ? null : startPostgresServer(COUNTING), embeddedTemplate()]);
  const url = given ?? (server as NonNullable<typeof server>).url;
  const template = `animus_template_${process.pid}_${project.name}`;
  const admin = openPostgres(url, { poolSize: 1 });
  await admin.query(`create database ${template} template template0`);
  if (await hasMigrations()) await migrateTemplate(url, template);
  project.provide('postgresUrl', url);
  project.provide('templateDatabase', template);
  project.provide('embeddedTemplate', embedded);
  return async () => {
    await admin.query(`drop database if exists ${template} with (force)`);
    await admin.close();
    await server?.stop();
  };
}

async function hasMigrations(): Promise<boolean> {
  return (
    existsSync(MIGRATIONS_DIRECTORY) && (await readdir(MIGRATIONS_DIRECTORY)).some((name) => name.endsWith('.sql'))
  );
}

async function migrateTemplate(url: string, template: string): Promise<void> {
  const target = new URL(url);
  target.pathname = `/${template}`;
  const database = openPostgres(target.href, { poolSize: 1 });
  try {
    await migrate(database);
    // Half of the pages of a migrated database hold dead rows of functions, which every file would copy.
    await database.query('vacuum full pg_proc');
  } finally {
    await database.close();
  }
}
