/** The part of migration 1 that a new installation does not need. */
import type { Migration, SchemaFiles } from './migration-files.ts';

/**
 * The text of a migration as it is run. Migration 1 created the queues work, inbox and inbox_dead, or took over existing queues with
 * these names. Released migrations do not change. But if the files also contain the migration that creates queues under our own names, a
 * new database neither creates the old queues nor touches existing ones.
 */
export function withoutOldQueues(migration: Migration, files: SchemaFiles): string {
  if (migration.version !== 1 || !files.migrations.some(({ name }) => name === '0011_rename_work_queue.sql')) {
    return migration.sql;
  }
  const at = migration.sql.indexOf('do $$\nbegin\n  perform pgmq.create(q)');
  return at < 0 ? migration.sql : migration.sql.slice(0, at);
}
