/**
 * Whether logical replication can tell the rows of our tables apart. A publication that has the updates and deletes of a table makes the server
 * refuse them if it cannot.
 */
import type { Queryable } from '../sql/database.ts';
import { PGMQ_SCHEMA } from '../sql/pgmq-schema.ts';

/** A table of ours, or one that pgmq needs for our queues. */
interface Named {
  /** With its schema, quoted where needed. */
  readonly table: string;
  /** Of the table; quoted where needed. */
  readonly owner: string;
  /** False for a table that only pgmq's own functions change. */
  readonly changed: boolean;
  /** Whether this role has the rights of the owner. */
  readonly mayAlter: boolean;
}

/** A table that is published and whose updates and deletes the server refuses, and why. */
export interface RefusedTable extends Named {
  /** Quoted where needed. */
  readonly publication: string;
  /**
   * `no identity`: neither a primary key nor a replica identity. `filter`: the publication's WHERE reads other columns than those of the identity.
   * `columns`: its list of columns lacks some of the identity. `generated`: it leaves out the generated columns, which are in the identity.
   */
  readonly reason: 'no identity' | 'filter' | 'columns' | 'generated';
  /** The statement that helps. */
  readonly cure: string;
}

/**
 * The tables, with the columns of their identity (`key`; null: none, or all, which `relreplident` tells) and the statement that gives one. A unique
 * index on columns that are never null is better than all columns: the server refuses those, too, if one of them is generated.
 */
const TABLES = `
  tables as (
    select c.oid, c.relnamespace, c.relreplident, t.name as "table", quote_ident(pg_get_userbyid(c.relowner)) as owner, pg_has_role(c.relowner, 'usage') as "mayAlter",
           c.relname not in ('meta', 'notify_insert_throttle', 'topic_bindings') or n.nspname = 'animus' as changed,
           (select i.indkey::int2[] from pg_index i
             where i.indrelid = c.oid and case c.relreplident when 'd' then i.indisprimary when 'i' then i.indisreplident end) as key,
           format('alter table %s replica identity %s', t.name,
             coalesce((select format('using index %I', x.relname) from pg_index i join pg_class x on x.oid = i.indexrelid
                        where i.indrelid = c.oid and i.indisunique and i.indisvalid and i.indimmediate and i.indpred is null and i.indexprs is null
                          and not exists (select from pg_attribute a where a.attrelid = c.oid and a.attnum = any (i.indkey::int2[]) and not a.attnotnull)
                        order by i.indisprimary desc, i.indnkeyatts limit 1), 'full')) as cure
      from pg_class c join pg_namespace n on n.oid = c.relnamespace cross join lateral (select format('%I.%I', n.nspname, c.relname)) t (name)
     where c.relkind = 'r' and c.relpersistence = 'p'
       and (n.nspname = 'animus' or n.nspname = ${PGMQ_SCHEMA} and c.relname ~ '^(meta|notify_insert_throttle|topic_bindings|[qa]_animus_(work|inbox|inbox_dead))$'))`;

/** Gives pgmq's own tables and our queues an identity where this role may; what they have already is kept. Idempotent. */
export async function identifyPgmqRows(tx: Queryable): Promise<void> {
  const rows = await tx.query<{ cure: string }>(
    `with ${TABLES}
     select cure from tables where relnamespace = (select oid from pg_namespace where nspname = ${PGMQ_SCHEMA}) and relreplident not in ('f', 'n') and key is null and "mayAlter" order by 1`,
  );
  for (const { cure } of rows) await tx.query(cure);
}

/** The tables whose updates or deletes the server refuses because of a publication. Any role may ask. */
export async function refusedTables(db: Queryable): Promise<readonly RefusedTable[]> {
  return db.query<RefusedTable>(
    `with ${TABLES},
     published as (
       select t.*, quote_ident(p.pubname) as publication, r.prattrs::int2[] as columns, to_jsonb(p) ->> 'pubgencols' as generated,
              array(select m[1]::int2 from regexp_matches(r.prqual::text, ':varattno (\\d+)', 'g') m) as filtered
         from tables t join pg_publication p on p.pubupdate or p.pubdelete
         left join pg_publication_rel r on r.prpubid = p.oid and r.prrelid = t.oid
        where p.puballtables or r.oid is not null
           or exists (select from pg_publication_namespace s where s.pnpubid = p.oid and s.pnnspid = t.relnamespace)
           or exists (select from pg_publication_rel a where a.prpubid = p.oid and a.prrelid in (select relid from pg_partition_ancestors(t.oid)))),
     judged as (
       select p.*,
              case when p.relreplident <> 'f' and p.key is null then 'no identity'
                   when p.relreplident <> 'f' and not p.filtered <@ p.key then 'filter'
                   when case p.relreplident when 'f' then p.columns is not null else not p.key <@ p.columns end then 'columns'
                   when p.relreplident = 'f' and p.generated <> 's' and exists (select from pg_attribute a where a.attrelid = p.oid and a.attgenerated = 's')
                     then 'generated' end as reason
         from published p)
     select "table", owner, changed, "mayAlter", publication, reason,
            case reason when 'no identity' then cure
                        when 'generated' then format('alter publication %s set (publish_generated_columns = stored)', publication)
                        else format('alter publication %s drop table %s', publication, "table") end as cure
       from judged where reason is not null order by "table", publication`,
  );
}
