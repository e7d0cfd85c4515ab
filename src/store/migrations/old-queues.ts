/** What an installation that begins today does not need of migration 1. */
import type { Migration, SchemaFiles } from './migration-files.ts';

/**
 * The text of a migration as it is run. Migration 1 made the queues work, inbox and inbox_dead, or took over what somebody else had under
 * these names. Released migrations do not change; but where the files also hold the migration that makes queues under names of our
 * own, a database that begins with them neither makes the old ones nor touches anybody's.
 */
export function withoutOldQueues(migration: Migration, files: SchemaFiles): string {
  if (migration.version !== 1 || !files.migrations.some(({ name }) => name === '0011_rename_work_queue.sql')) {
    return migration.sql;
  }
  const at = migration.sql.indexOf('do $$\nbegin\n  perform pgmq.create(q)');
  return at < 0 ? migration.sql : migration.sql.slice(0, at);
}
