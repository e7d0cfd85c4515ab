/** The texts of the schema files as they are run. */
import { inPgmqSchema, type PgmqSchema } from '../sql/pgmq-schema.ts';
import type { Migration, SchemaFiles } from './migration-files.ts';

/** The same files for the schema that has the queues. Names and checksums stay those of the files. */
export function renderFiles(files: SchemaFiles, schema: PgmqSchema): SchemaFiles {
  return {
    migrations: files.migrations.map((file) => ({ ...file, sql: inPgmqSchema(withoutOldQueues(file, files), schema) })),
    functions: files.functions.map((file) => ({ ...file, sql: inPgmqSchema(file.sql, schema) })),
  };
}

/**
 * The text of a migration as it is run. Migration 1 created the queues work, inbox and inbox_dead, or took over existing queues with
 * these names. Released migrations do not change. But if the files also contain the migration that creates queues under our own names, a
 * new database neither creates the old queues nor touches existing ones.
 */
function withoutOldQueues(migration: Migration, files: SchemaFiles): string {
  if (migration.version !== 1 || !files.migrations.some(({ name }) => name === '0011_rename_work_queue.sql')) {
    return migration.sql;
  }
  const at = migration.sql.indexOf('do $$\nbegin\n  perform pgmq.create(q)');
  return at < 0 ? migration.sql : migration.sql.slice(0, at);
}
