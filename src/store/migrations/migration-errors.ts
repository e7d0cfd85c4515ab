/** Maps the failure of a migration to an error. */
import { AnimusError, isAnimusError, messageOf } from '../../core/errors/errors.ts';
import type { Database, Queryable } from '../sql/database.ts';
import { sqlState } from '../sql/database-errors.ts';
import { PGMQ_SCHEMA } from '../sql/pgmq-schema.ts';

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
    const grant = await lackedGrant(ask, detail);
    const hint =
      grant === null
        ? `; the step ${file} needs this right: the owner of the object or a superuser can grant it`
        : `; ${file} needs it: its owner or a superuser runs: ${grant}`;
    return new AnimusError('db.refused', { where: database.where, detail, hint }, { cause: error });
  }
  if (sqlState(error) === undefined || error instanceof AnimusError) return error;
  const detail = messageOf(error) + lineOf(error);
  return new AnimusError('db.migration_failed', { file, detail }, { cause: error });
}

/**
 * The right to make the schemas, or our queues in the one of pgmq, if this role lacks it. The server's words say so, too, but in its language: of these, `detail`, only
 * the name of the schema counts.
 */
async function lackedGrant(db: Queryable | null, detail: string): Promise<string | null> {
  const rows = await db
    ?.query<{ lacked: string | null }>(
      `select case when not has_database_privilege(current_database(), 'create') and (to_regnamespace('animus') is null or q.oid is null)
                   then format('grant create on database %I to %I', current_database(), current_user)
                   when strpos($1, q.nspname) > 0 and not (has_schema_privilege(q.oid, 'usage') and has_schema_privilege(q.oid, 'create')) then format('grant usage, create on schema %I to %I', q.nspname, current_user) end as lacked
         from (select) s left join pg_namespace q on q.nspname = ${PGMQ_SCHEMA}`,
      [detail],
    )
    .catch(() => []);
  return rows?.[0]?.lacked ?? null;
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
