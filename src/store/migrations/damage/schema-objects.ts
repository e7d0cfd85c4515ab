/** What a schema consists of, as facts by which two databases can be compared, whatever their version of PostgreSQL. */
import type { Queryable } from '../../sql/database.ts';
import type { SchemaObject } from '../../sql/expected-objects.ts';
import { outOfPgmqSchema, PGMQ, pgmqSchema } from '../../sql/pgmq-schema.ts';

/**
 * All that is in schema animus, and our queues, as if they were in the schema `pgmq`. Reads the catalogue only, and any role may ask. Its transaction gets an
 * empty search_path.
 */
export async function readObjects(tx: Queryable): Promise<SchemaObject[]> {
  // The definitions that the server writes have the schema of what is not in the path.
  await tx.query(`set local search_path = ''`);
  const queues = await pgmqSchema(tx);
  const objects = await tx.query<SchemaObject>(OBJECTS, [queues.name, queues.ident]);
  if (queues.name === PGMQ) return objects;
  const plain = (text: string) => text.replaceAll(`${queues.ident}.`, `${PGMQ}.`);
  return objects.map(({ kind, of, name, facts }) => ({
    kind,
    of: plain(of),
    name: kind === 'schema' && name === queues.name ? PGMQ : plain(name),
    facts: Object.fromEntries(Object.entries(facts).map(([fact, value]) => [fact, plain(value)])),
  }));
}

/** The rights in an access list, such as `animus_reader=SELECT public=EXECUTE`. */
const grants = (acl: string) =>
  `coalesce((select string_agg(g.who || '=' || g.rights, ' ' order by g.who) from (
      select coalesce(r.rolname, 'public') as who, string_agg(distinct x.privilege_type, ',' order by x.privilege_type) as rights
        from pg_catalog.aclexplode(${acl}) x left join pg_catalog.pg_roles r on r.oid = x.grantee
       where x.grantee = 0 or r.rolname ~ '^animus_(submitter|reader|operator|daemon|gateway)$' group by 1) g), '')`;

/** Those of these rights that the owner of the schema lacks, with which our functions run. */
const lost = (check: string, oid: string, rights: string) =>
  `(select string_agg(wanted.name, ', ') from unnest(array[${rights}]) wanted (name) where not ${check}((select owner from ours), ${oid}, wanted.name))`;

const columnsOf = (relation: string) =>
  `(select string_agg(quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod), ', ' order by a.attnum)
      from pg_attribute a where a.attrelid = ${relation} and a.attnum > 0 and not a.attisdropped)`;

/**
 * From PostgreSQL 16 on, a view of one table names its columns without the table; a restored one has other parentheses, and names for columns that need
 * none. The names that count are compared with the columns.
 */
const queryOf = (view: string) =>
  String.raw`regexp_replace(pg_get_viewdef(${view}), '\m\w+\.|\sAS\s+\w+|[()\s]', '', 'g')`;

const plainOr = (condition: string, text: string) => `case when ${condition} then ${text} end`;

const OBJECTS = `
  with ours as (
    select n.nspowner as owner, coalesce(has_schema_privilege(n.nspowner, (select q.oid from pg_namespace q where q.nspname = $1), 'usage with grant option'), false) as grants_pgmq
      from pg_namespace n where n.nspname = 'animus'),
  relations as (
    select c.*, format('%I.%I', n.nspname, c.relname) as full_name, n.nspname = 'animus' as is_ours,
           n.nspname = 'animus' or o.grants_pgmq and pg_has_role(o.owner, c.relowner, 'usage') as grantable
      from pg_class c join pg_namespace n on n.oid = c.relnamespace cross join ours o
     where n.nspname = 'animus' or n.nspname = $1 and c.relname ~ '^[qa]_animus_(work|inbox|inbox_dead)$'),
  objects (kind, "of", name, facts) as (
    select 'schema', '', n.nspname::text, jsonb_build_object(
             'grants', ${plainOr(`n.nspname = 'animus' or o.grants_pgmq`, grants("coalesce(n.nspacl, acldefault('n', n.nspowner))"))},
             'lost', ${plainOr("n.nspname = 'animus'", lost('has_schema_privilege', 'n.oid', "'USAGE', 'CREATE'"))})
      from pg_namespace n cross join ours o where n.nspname in ('animus', $1)
    union all
    select 'type', '', r.full_name, jsonb_build_object('columns', ${columnsOf('r.oid')})
      from relations r where r.relkind = 'c'
    union all
    select 'sequence', coalesce((select d.refobjid::regclass::text from pg_depend d where d.objid = r.oid and d.deptype in ('a', 'i') and d.refobjsubid > 0), ''), r.full_name,
           jsonb_build_object('type', format_type(s.seqtypid, null), 'step', s.seqincrement::text, 'cycle', ${plainOr('s.seqcycle', "'yes'")},
             'grants', ${grants("coalesce(r.relacl, acldefault('s', r.relowner))")}, 'lost', ${lost('has_sequence_privilege', 'r.oid', "'USAGE', 'SELECT', 'UPDATE'")})
      from relations r join pg_sequence s on s.seqrelid = r.oid
    union all
    select 'table', '', r.full_name, jsonb_build_object('kind', ${plainOr("r.relkind = 'p'", "'partitioned'")}, 'unlogged', ${plainOr("r.relpersistence = 'u'", "'yes'")},
             'references', ${plainOr(`exists (select from pg_trigger t where t.tgrelid = r.oid and t.tgisinternal and t.tgenabled not in ('O', 'A'))`, "'off'")},
             'identity', ${plainOr("r.relreplident = 'n' or r.relreplident = 'd' and not exists (select from pg_index i where i.indrelid = r.oid and i.indisprimary)", "'none'")},
             'grants', ${plainOr('r.grantable', grants("coalesce(r.relacl, acldefault('r', r.relowner))"))},
             'lost', ${lost('has_table_privilege', 'r.oid', "'SELECT', 'INSERT', 'UPDATE', 'DELETE'")})
      from relations r where r.relkind in ('r', 'p')
    union all
    select 'column', r.full_name, a.attname, jsonb_build_object('type', format_type(a.atttypid, a.atttypmod), 'required', ${plainOr('a.attnotnull', "'not null'")},
             'default', ${plainOr("a.attgenerated = ''", 'pg_get_expr(d.adbin, d.adrelid)')}, 'identity', ${plainOr("a.attidentity <> ''", 'a.attidentity::text')},
             'generated', ${plainOr("a.attgenerated <> ''", 'pg_get_expr(d.adbin, d.adrelid)')}, 'grants', ${grants('a.attacl')})
      from relations r join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
     where r.relkind in ('r', 'p') and r.is_ours
    union all
    select 'constraint', r.full_name, k.conname, jsonb_build_object('definition', pg_get_constraintdef(k.oid))
      from relations r join pg_constraint k on k.conrelid = r.oid and k.contype in ('p', 'u', 'c', 'f', 'x') where r.is_ours
    union all
    select 'index', r.full_name, x.relname, jsonb_build_object('definition', pg_get_indexdef(i.indexrelid), 'invalid', ${plainOr('not (i.indisvalid and i.indisready)', "'yes'")})
      from relations r join pg_index i on i.indrelid = r.oid join pg_class x on x.oid = i.indexrelid
     where r.is_ours and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x'))
    union all
    select 'view', '', r.full_name, jsonb_build_object('made', md5(concat_ws(' ', ${columnsOf('r.oid')}, array_to_string(r.reloptions, ' '), ${outOfPgmqSchema(queryOf('r.oid'))})),
             'grants', ${grants("coalesce(r.relacl, acldefault('r', r.relowner))")}, 'lost', ${lost('has_table_privilege', 'r.oid', "'SELECT'")})
      from relations r where r.relkind = 'v' and r.is_ours
    union all
    select 'function', '', p.oid::regprocedure::text, jsonb_build_object('made', md5(concat_ws(' ', pg_get_function_result(p.oid), pg_get_function_arguments(p.oid), l.lanname, p.provolatile,
             p.prosecdef, p.proisstrict, p.proparallel, array_to_string(p.proconfig, ' '), ${outOfPgmqSchema("replace(p.prosrc, chr(13), '')")}, pg_get_function_sqlbody(p.oid))),
             'grants', ${grants("coalesce(p.proacl, acldefault('f', p.proowner))")}, 'lost', ${lost('has_function_privilege', 'p.oid', "'EXECUTE'")})
      from pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_language l on l.oid = p.prolang where n.nspname = 'animus' and p.prokind = 'f'
    union all
    select 'trigger', r.full_name, t.tgname, jsonb_build_object('definition', pg_get_triggerdef(t.oid), 'off', ${plainOr("t.tgenabled not in ('O', 'A')", "'yes'")})
      from relations r join pg_trigger t on t.tgrelid = r.oid and not t.tgisinternal)
  select kind, "of", name, jsonb_strip_nulls(facts) as facts from objects order by kind, "of" collate "C", name collate "C"`;
