/**
 * The schema that has pgmq and the queues of animus: `pgmq`, or another one that was chosen when animus was installed. The comment on our first table
 * says which; it is part of each dump. All SQL is written for `pgmq`.
 */
import type { Queryable } from './database.ts';

/** Where pgmq installs itself. */
export const PGMQ = 'pgmq';

export interface PgmqSchema {
  readonly name: string;
  /** The name as it stands in SQL: quoted where needed. */
  readonly ident: string;
}

const RECORDED = 'animus: its queues are in the schema ';

/** An expression: the name that was recorded, else null. Any role may ask. */
export const RECORDED_PGMQ_SCHEMA = `(select substr(d.description, ${RECORDED.length + 1})
    from pg_namespace s join pg_class t on t.relnamespace = s.oid and t.relname = 'schema_migrations'
    join pg_description d on d.objoid = t.oid and d.classoid = 'pg_catalog.pg_class'::regclass and d.objsubid = 0
   where s.nspname = 'animus' and starts_with(d.description, '${RECORDED}'))`;

/** An expression: the name of the schema. Any role may ask. */
export const PGMQ_SCHEMA = `coalesce(${RECORDED_PGMQ_SCHEMA}, '${PGMQ}')`;

/** Any role may ask. */
export async function pgmqSchema(db: Queryable): Promise<PgmqSchema> {
  const [row] = await db.query<PgmqSchema>(`select n.name, quote_ident(n.name) as ident from ${PGMQ_SCHEMA} n (name)`);
  return row!;
}

/** Records the schema, once, before anything is in it. For the owner of schema animus. `name` follows PGMQ_SCHEMA_NAME. */
export async function recordPgmqSchema(tx: Queryable, name: string): Promise<void> {
  if (name !== PGMQ) await tx.query(`comment on table animus.schema_migrations is '${RECORDED}${name}'`);
}

/** SQL that was written for the schema `pgmq`, for another one. */
export function inPgmqSchema(sql: string, { name, ident }: PgmqSchema): string {
  if (name === PGMQ) return sql;
  return sql
    .replace(/\bpgmq(?=\.)/g, ident)
    .replace(/\b(schema (?:if not exists )?)pgmq\b/gi, (_, before: string) => before + ident)
    .replace(/'pgmq'(?=::regnamespace)/g, `'${ident}'`)
    .replace(/'pgmq'/g, `'${name}'`);
}

/** An expression: `text` as it was before inPgmqSchema. $1 is the name of the schema, $2 its `ident`. */
export function outOfPgmqSchema(text: string): string {
  return `replace(replace(replace(replace(${text}, $2 || '.', '${PGMQ}.'), 'schema ' || $2, 'schema ${PGMQ}'),
    quote_literal($2) || '::regnamespace', quote_literal('${PGMQ}') || '::regnamespace'), quote_literal($1), quote_literal('${PGMQ}'))`;
}
