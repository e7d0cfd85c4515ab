/** The texts of the schema files as they are run. */
import { inPgmqSchema, type PgmqSchema } from '../sql/pgmq-schema.ts';
import type { SchemaFiles } from './migration-files.ts';
import { withoutOldQueues } from './old-queues.ts';

/** The same files for the schema that has the queues. Names and checksums stay those of the files. */
export function renderFiles(files: SchemaFiles, schema: PgmqSchema): SchemaFiles {
  return {
    migrations: files.migrations.map((file) => ({ ...file, sql: inPgmqSchema(withoutOldQueues(file, files), schema) })),
    functions: files.functions.map((file) => ({ ...file, sql: inPgmqSchema(file.sql, schema) })),
  };
}
