/** Whether this database keeps the promises of the audit: who acts is right, and decisions cannot be changed. */
import type { Queryable } from '../../sql/database.ts';

/** Logins that may act for people, and also have rights that a person must not get. Their programs could use these by mistake. Superusers are left out: they have every role. */
export async function powerfulGateways(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ login: string }>(
    `select rolname as login from pg_roles
      where rolcanlogin and not rolsuper and coalesce(pg_has_role(oid, to_regrole('animus_gateway')::oid, 'member'), false)
        and (has_table_privilege(oid, 'animus.work_items', 'select') or coalesce(pg_has_role(oid, to_regrole('animus_operator')::oid, 'member'), false))
      order by 1`,
  );
  return rows.map(({ login }) => login);
}

/** The triggers that guard the audit and are missing or switched off; null in a schema of an earlier version, or without one. */
export async function missingGuards(db: Queryable): Promise<string[] | null> {
  const [schema] = await db.query<{ there: boolean }>(`select to_regclass('animus.deleted_work') is not null as there`);
  if (schema?.there !== true) return null;
  const rows = await db.query<{ name: string }>(
    `select wanted.name from (values ('decisions_append_only', 'animus.decisions'), ('decisions_no_truncate', 'animus.decisions'),
                                     ('work_items_keep_deleted', 'animus.work_items')) wanted (name, place)
      where not exists (select from pg_trigger where tgrelid = to_regclass(wanted.place) and tgname = wanted.name and tgenabled in ('O', 'A'))`,
  );
  return rows.map(({ name }) => name);
}
