/** The tables of a migrated database as readable SQL: the result of all migrations. */
import { join } from 'node:path';
import { readObjects } from '../../../src/store/migrations/damage/schema-objects.ts';
import { MIGRATIONS_DIRECTORY } from '../../../src/store/migrations/migration-files.ts';
import type { Database } from '../../../src/store/sql/database.ts';

/** The path of the file. */
export const SCHEMA_FILE = join(MIGRATIONS_DIRECTORY, 'schema.sql');

/** The text of migrations/schema.sql. It is the same for every database of one schema version, on one major version of PostgreSQL. */
export async function schemaText(db: Database): Promise<string> {
  const parts = [
    HEADER,
    ...(await sequences(db)),
    ...(await types(db)),
    ...(await tables(db, 'animus')),
    ...(await views(db)),
    '-- The pgmq queues of animus: tables of pgmq, with settings and triggers of ours.',
    ...(await queueSettings(db)),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** The text of migrations/objects.jsonl, which `animus doctor --deep` compares databases with. It is the same on each major version of PostgreSQL. */
export async function objectsText(db: Database): Promise<string> {
  const objects = await db.transaction(readObjects);
  return objects.map((object) => `${JSON.stringify(object)}\n`).join('');
}

const HEADER = `-- What the migrations come to: tables, columns, constraints, indexes, triggers. Written by \`npm run schema\`, held equal by a test, and run by
-- nothing. Functions stand in functions/; docs/sql-api.md and docs/architecture.md have a map of them.`;

async function sequences(db: Database): Promise<string[]> {
  const rows = await db.query<{ name: string; type: string }>(
    `select c.relname as name, format_type(s.seqtypid, null) as type from pg_class c join pg_sequence s on s.seqrelid = c.oid
      where c.relnamespace = 'animus'::regnamespace
        and not exists (select from pg_depend d where d.objid = c.oid and d.deptype in ('a', 'i')) order by c.relname`,
  );
  return rows.map(({ name, type }) => `create sequence animus.${name} as ${type};`);
}

async function types(db: Database): Promise<string[]> {
  const rows = await db.query<{ name: string; columns: string[][] }>(
    `select c.relname as name, (select json_agg(json_build_array(a.attname, replace(format_type(a.atttypid, a.atttypmod), 'timestamp with time zone', 'timestamptz')) order by a.attnum)
              from pg_attribute a where a.attrelid = c.oid) as columns
       from pg_class c where c.relnamespace = 'animus'::regnamespace and c.relkind = 'c' order by c.relname`,
  );
  return rows.map(({ name, columns }) => `create type animus.${name} as (\n${aligned(columns)}\n);`);
}

interface Table {
  readonly name: string;
  /** Name, type, the rest. */
  readonly columns: [string, string, string][];
  readonly constraints: string[];
  readonly options: string[];
  /** By what it is partitioned; null for an ordinary table. */
  readonly partitions: string | null;
  readonly indexes: string[];
  readonly triggers: string[];
}

/** In the order of creation, which is that of the migrations. */
async function tables(db: Database, schema: string): Promise<string[]> {
  const rows = await db.query<Table>(
    `select c.relname as name,
            (select json_agg(json_build_array(a.attname, replace(format_type(a.atttypid, a.atttypmod), 'timestamp with time zone', 'timestamptz'), concat_ws(' ',
                case when a.attnotnull then 'not null' end,
                case when a.attidentity = 'a' then 'generated always as identity' when a.attgenerated = 's' then 'generated always as (' || pg_get_expr(d.adbin, d.adrelid, true) || ') stored'
                     when d.adbin is not null then 'default ' || pg_get_expr(d.adbin, d.adrelid, true) end)) order by a.attnum)
               from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
              where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
            array(select case when k.contype = 'p' then '' else 'constraint ' || quote_ident(k.conname) || ' ' end || pg_get_constraintdef(k.oid, true) from pg_constraint k
                   where k.conrelid = c.oid and k.contype in ('p', 'u', 'c', 'f') order by position(k.contype::text in 'pufc'), k.conname) as constraints,
            coalesce(c.reloptions, '{}') as options, lower(pg_get_partkeydef(c.oid)) as partitions,
            array(select pg_get_indexdef(i.indexrelid, 0, true) from pg_index i join pg_class n on n.oid = i.indexrelid
                   where i.indrelid = c.oid and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u')) order by n.relname) as indexes,
            array(select pg_get_triggerdef(t.oid, true) from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal order by t.tgname) as triggers
       from pg_class c where c.relnamespace = $1::regnamespace and c.relkind in ('r', 'p') order by c.oid`,
    [schema],
  );
  return rows.map((table) => tableText(schema, table));
}

function tableText(schema: string, table: Table): string {
  const { name, columns, constraints, options, partitions, indexes, triggers } = table;
  const body = [columns && aligned(columns), ...constraints.map((one) => `  ${readable(one)}`)]
    .filter(Boolean)
    .join(',\n');
  const settings = options.length > 0 ? ` with (${options.join(', ')})` : '';
  const by = partitions === null ? '' : ` partition by ${partitions}`;
  return [
    `create table ${schema}.${name} (${body === '' ? '' : `\n${body}\n`})${by}${settings};`,
    ...[...indexes, ...triggers].map(statement),
  ].join('\n');
}

/** One line each, with name, type and the rest aligned in columns. */
function aligned(columns: readonly string[][]): string {
  const width = (n: number) => Math.max(...columns.map((column) => column[n]!.length));
  return columns
    .map(([name, type, rest = '']) =>
      `  ${name!.padEnd(width(0))} ${type!.padEnd(width(1))} ${readable(rest)}`.trimEnd(),
    )
    .join(',\n');
}

async function views(db: Database): Promise<string[]> {
  const rows = await db.query<{ name: string; columns: string[]; options: string[] }>(
    `select c.relname as name, array(select a.attname::text from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 order by a.attnum) as columns,
            coalesce(c.reloptions, '{}') as options
       from pg_class c where c.relnamespace = 'animus'::regnamespace and c.relkind = 'v' order by c.relname`,
  );
  return rows.map(
    ({ name, columns, options }) =>
      `-- create view animus.${name}${options.length > 0 ? ` with (${options.join(', ')})` : ''}: its query stands in functions/\n--   ${columns.join(', ')}`,
  );
}

async function queueSettings(db: Database): Promise<string[]> {
  const rows = await db.query<{ name: string; options: string[] | null; comment: string | null; triggers: string[] }>(
    `select c.relname as name, c.reloptions as options, obj_description(c.oid, 'pg_class') as comment,
            array(select pg_get_triggerdef(t.oid, true) from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal order by t.tgname) as triggers
       from pg_class c where c.relnamespace = 'pgmq'::regnamespace and c.relkind = 'r' and c.relname ~ '^[qa]_animus_' order by c.relname desc`,
  );
  return rows
    .map(({ name, options, comment, triggers }) =>
      [
        ...(options ? [`alter table pgmq.${name} set (${options.join(', ')});`] : []),
        ...(comment === null ? [] : [`comment on table pgmq.${name} is '${comment}';`]),
        ...triggers.map(statement),
      ].join('\n'),
    )
    .filter((text) => text !== '');
}

function statement(definition: string): string {
  return `${readable(definition)};`;
}

/** Formats an expression or statement as a person would write it: keywords in lower case, no casts of literals, lists as lists. */
function readable(definition: string): string {
  const texts = definition.match(/'(?:[^']|'')*'/g) ?? [];
  let n = 0;
  return definition
    .replaceAll(/'(?:[^']|'')*'/g, '\u0000')
    .replaceAll(/\0::[a-z]+(\[\])?/g, '\u0000')
    .replaceAll(/\b[A-Z][A-Z]+\b/g, (word) => word.toLowerCase())
    .replaceAll(' using btree', '')
    .replaceAll(/ = any \(array\[([^\]]*)\]\)/g, ' in ($1)')
    .replaceAll('\u0000', () => texts[n++]!);
}
