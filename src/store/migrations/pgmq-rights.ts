/** What animus must be allowed to do with a pgmq that belongs to somebody else: another team, or the superuser who has created the extension. */
import { AnimusError } from '../../core/errors/errors.ts';
import type { Queryable } from '../sql/database.ts';
import { PGMQ, PGMQ_SCHEMA } from '../sql/pgmq-schema.ts';
import { readValue } from '../sql/read-value.ts';
import { refusedTables } from './replica-identity.ts';

export interface MissingRights {
  /** The one that has pgmq; quoted where needed. */
  readonly schema: string;
  /** Of the schema; quoted where needed. */
  readonly owner: string;
  /** Who lacks them; quoted where needed. */
  readonly role: string;
  /** The statements that give them, for the owner or a superuser. */
  readonly statements: readonly string[];
  /** Whether the queues of animus are not made yet. */
  readonly installing: boolean;
}

/** Before pgmq is installed or used. `where`: the database's. Errors: `db.refused`, with the statements that help. */
export async function requirePgmqRights(tx: Queryable, where: string): Promise<void> {
  // A superuser has all rights, and the query takes 140 ms in the embedded database.
  if (await readValue<boolean>(tx, `select current_setting('is_superuser')::boolean`)) return;
  const missing = await missingPgmqRights(tx, 'this role');
  if (missing === null) return;
  throw new AnimusError('db.refused', { where, detail: lackOf(missing), hint: `; ${cureOf(missing)}` });
}

/** In words. */
export function lackOf({ schema, owner, role }: MissingRights): string {
  return `the schema ${schema} belongs to ${owner}, and ${role} lacks rights on it`;
}

/** In words. */
export function cureOf({ owner, statements, installing }: MissingRights): string {
  const instead = installing ? OTHER_PLACES : '';
  return `run as ${owner} or as a superuser: ${statements.join(' ')}${instead}`;
}

const OTHER_PLACES =
  ' or set ANIMUS_PGMQ_SCHEMA to the name of a new schema for the queues, or give animus a database of its own';

interface Rights {
  readonly schema: string;
  readonly owner: string;
  readonly role: string;
  readonly on_schema: string;
  readonly on_meta: string;
  /** Of the functions that animus calls and those that these call; with schema and arguments. */
  readonly on_functions: string;
  /** Whether the queues of animus are not made yet. */
  readonly installing: boolean;
  /** Whether only the owner of the extension can make a queue, as before version 1.6 of pgmq. */
  readonly old: boolean;
}

/** What animus calls: always, and to make its queues. Functions of pgmq run with the rights of their caller, so what they call counts, too. */
const LACKED_FUNCTIONS = `
  with recursive used (id) as (
    select p.oid from pg_proc p
     where p.pronamespace = n.oid
       and (p.proname = 'archive' and oidvectortypes(p.proargtypes) = 'text, bigint[]' or s.installing and p.proname in ('create', 'list_queues'))
    union
    select c.oid from used u join pg_proc p on p.oid = u.id and not p.prosecdef
     cross join lateral regexp_matches(replace(p.prosrc, quote_ident(n.nspname) || '.', 'pgmq.'), 'pgmq[.]([a-z0-9_]+) *[(]', 'gi') m join pg_proc c on c.pronamespace = n.oid and c.proname = lower(m[1]))
  select coalesce(string_agg(format('%I.%I(%s)', n.nspname, p.proname, oidvectortypes(p.proargtypes)), ', ' order by p.proname, p.oid), '')
    from used u join pg_proc p on p.oid = u.id where not has_function_privilege(r.id, p.oid, 'execute')`;

/**
 * Null: nothing is missing, or there is no such schema. Fewer rights are needed once the queues exist. Any role may ask. `of`: this role, which
 * migrates, or the owner of schema animus, as whom its functions run; without that schema it is this role, too.
 */
export async function missingPgmqRights(db: Queryable, of: 'this role' | 'the owner'): Promise<MissingRights | null> {
  const [found] = await db.query<Rights>(
    `select quote_ident(n.nspname) as schema, quote_ident(pg_get_userbyid(n.nspowner)) as owner, quote_ident(pg_get_userbyid(r.id)) as role, s.installing,
            concat_ws(', ', case when not has_schema_privilege(r.id, n.oid, 'usage') then 'usage' end,
                            case when s.installing and not has_schema_privilege(r.id, n.oid, 'create') then 'create' end) as on_schema,
            concat_ws(', ', case when not has_table_privilege(r.id, m.oid, 'select') then 'select' end,
                            case when s.installing and not has_table_privilege(r.id, m.oid, 'insert') then 'insert' end,
                            case when s.installing and not has_table_privilege(r.id, m.oid, 'delete') then 'delete' end) as on_meta,
            (${LACKED_FUNCTIONS}) as on_functions,
            s.installing and exists (select from pg_proc p join pg_extension e on e.extname = '${PGMQ}' and not pg_has_role(r.id, e.extowner, 'usage')
                                      where p.pronamespace = n.oid and p.proname = 'create_non_partitioned' and p.prosrc ~* 'alter extension pgmq add') as old
       from pg_namespace n
       left join pg_namespace a on a.nspname = 'animus'
       left join pg_class m on m.relnamespace = n.oid and m.relname = 'meta'
      cross join lateral (select coalesce(case when $1 then a.nspowner end, to_regrole(quote_ident(current_user))::oid)) r (id)
      cross join lateral (select not exists (select from pg_class q where q.relnamespace = n.oid and q.relname = 'q_animus_inbox_dead')) s (installing)
      where n.nspname = ${PGMQ_SCHEMA}`,
    [of === 'the owner'],
  );
  if (!found) return null;
  const { schema, owner, role, on_schema, on_meta, on_functions, installing, old } = found;
  // Making the queues takes a row out of pgmq.meta, and with it those of other tables that refer to it.
  const refused = installing ? (await refusedTables(db)).filter((row) => !row.changed && !row.mayAlter) : [];
  const statements = [
    ...(on_schema === '' ? [] : [`grant ${on_schema} on schema ${schema} to ${role};`]),
    ...(on_meta === '' ? [] : [`grant ${on_meta} on ${schema}.meta to ${role};`]),
    ...(on_functions === '' ? [] : [`grant execute on function ${on_functions} to ${role};`]),
    ...new Set(refused.map(({ cure }) => `${cure};`)),
    ...(old ? ['alter extension pgmq update;'] : []),
  ];
  return statements.length === 0 ? null : { schema, owner, role, statements, installing };
}
