/** Maps the failure of a migration to an error. */
import { AnimusError, isAnimusError, messageOf } from '../../core/errors/errors.ts';
import type { Database } from '../sql/database.ts';
import { sqlState } from '../sql/database-errors.ts';

/** `db.refused` for missing rights, `db.migration_failed` with `file` for what a statement failed with; everything else unchanged. */
export function migrationError(error: unknown, database: Database, file: string): unknown {
  if (isAnimusError(error, 'db.forbidden')) {
    const detail = String(error.details['detail']);
    const hint = detail.startsWith('permission denied for database')
      ? `; ${file} needs a role that may create schemas in this database: grant create on database … to the role`
      : detail.startsWith('permission denied for schema pgmq')
        ? `; without it ${file} cannot be made: the owner of pgmq or a superuser runs: grant usage, create on schema pgmq to the role that owns the schema animus`
        : `; without this right the step ${file} cannot be done: it is the owner of the object who can grant it, or a superuser`;
    return new AnimusError('db.refused', { where: database.where, detail, hint }, { cause: error });
  }
  if (sqlState(error) === undefined || error instanceof AnimusError) return error;
  const detail = messageOf(error) + lineOf(error);
  return new AnimusError('db.migration_failed', { file, detail }, { cause: error });
}

function lineOf(error: unknown): string {
  const { position, internalPosition, where } = error as {
    position?: string;
    internalPosition?: string;
    where?: string;
  };
  const at = position ?? internalPosition;
  return (at ? ` (at character ${at})` : '') + (where ? `; ${where}` : '');
}
