/** Checks that the record of who decided what can be trusted. */
import type { Queryable } from '../../store/sql/database.ts';
import { readValue, readValues } from '../../store/sql/read-value.ts';
import { type Finding, fine, note, problem } from '../../terminal/view/finding.ts';

/** The guards of the decisions, and the logins that act for people. It does not read the decisions: `animus audit verify` does. */
export async function examineAudit(db: Queryable): Promise<readonly Finding[]> {
  const missing = await missingGuards(db);
  // The check of the schema says what to do.
  if (missing === null) return [];
  const powerful = await powerfulGateways(db);
  return [
    missing.length === 0
      ? fine('audit', 'decisions cannot be changed or removed; to check the existing ones: animus audit verify')
      : problem(
          'audit',
          `the database does not protect the decisions: ${missing.join(', ')} missing or switched off`,
          'run: animus db migrate; then: animus audit verify',
        ),
    ...powerful.map((login) =>
      note(
        'gateway',
        `${login} may act for people, and may also read all work or act as an operator`,
        'give the program a login of its own that is only a member of animus_gateway',
      ),
    ),
  ];
}

/** The triggers that guard the audit and are missing or switched off; null in a schema of an earlier version, or without one. */
async function missingGuards(db: Queryable): Promise<string[] | null> {
  if (!(await readValue<boolean>(db, `select to_regclass('animus.deleted_work') is not null`))) return null;
  return readValues<string>(
    db,
    `select wanted.name from (values ('decisions_append_only', 'animus.decisions'), ('decisions_no_truncate', 'animus.decisions'),
                                     ('work_items_keep_deleted', 'animus.work_items')) wanted (name, place)
      where not exists (select from pg_trigger where tgrelid = to_regclass(wanted.place) and tgname = wanted.name and tgenabled in ('O', 'A'))`,
  );
}

/** Logins that may act for people, and also have rights that a person must not get. Their programs could use these by mistake. Superusers are left out: they have every role. */
async function powerfulGateways(db: Queryable): Promise<string[]> {
  return readValues<string>(
    db,
    `select rolname from pg_roles
      where rolcanlogin and not rolsuper and coalesce(pg_has_role(oid, to_regrole('animus_gateway')::oid, 'member'), false)
        and (has_table_privilege(oid, 'animus.work_items', 'select') or coalesce(pg_has_role(oid, to_regrole('animus_operator')::oid, 'member'), false))
      order by 1`,
  );
}
