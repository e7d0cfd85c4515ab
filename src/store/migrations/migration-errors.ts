/** Maps the failure of a migration to an error. */
import { AnimusError, isAnimusError, messageOf } from '../../core/errors/errors.ts';
import type { Database, Queryable } from '../sql/database.ts';
import { sqlState } from '../sql/database-errors.ts';

/**
 * `db.refused` for missing rights, `db.migration_failed` with `file` for what a statement failed with; everything else unchanged. `ask`: null where the failed
 * transaction still has its connection, which may be the only one.
 */
export async function migrationError(
  error: unknown,
  database: Database,
  file: string,
  ask: Queryable | null = database,
): Promise<unknown> {
  if (isAnimusError(error, 'db.forbidden')) {
    const detail = String(error.details['detail']);
    const hint = (await lacksSchemas(ask))
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

/** Whether a schema is missing and the role may not create it. The server's words say so, too, but in its language. */
async function lacksSchemas(db: Queryable | null): Promise<boolean> {
  const rows = await db
    ?.query(
      `select where not has_database_privilege(current_database(), 'create') and (to_regnamespace('animus') is null or to_regnamespace('pgmq') is null)`,
    )
    .catch(() => []);
  return rows !== undefined && rows.length > 0;
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
