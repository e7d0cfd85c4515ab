/** What the schema should contain, by its files, and what of that is missing in a database: somebody has dropped it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Queryable } from '../sql/database.ts';
import { inPgmqSchema, PGMQ, pgmqSchema } from '../sql/pgmq-schema.ts';
import type { Reference } from '../views/damage.ts';
import { MIGRATIONS_DIRECTORY, readSchemaFiles } from './migration-files.ts';

/** One object that is missing. */
export interface MissingObject {
  readonly kind: 'table' | 'column' | 'constraint' | 'index' | 'trigger' | 'function';
  /** Such as `index animus.work_items_claimable`. */
  readonly what: string;
  /** The statement that makes it; null: `animus db migrate` does, or only a backup has it. */
  readonly statement: string | null;
}

interface Declared extends MissingObject {
  readonly schema: string;
  readonly relation: string;
  readonly name: string;
}

/** Reads the catalogue only. `functions` alone: those of the function files, which `db migrate` makes again. */
export async function missingObjects(db: Queryable, { functions = false } = {}): Promise<MissingObject[]> {
  const declared = [...(functions ? [] : declaredIn(await schemaSql())), ...(await declaredFunctions())];
  const queues = await pgmqSchema(db);
  const rows = await db.query<{ n: number }>(
    `select (d.n - 1)::int as n from unnest($1::text[], $2::text[], $3::text[], $4::text[]) with ordinality d (kind, schema, relation, name, n)
      where case d.kind
              when 'function' then not exists (select from pg_proc p where p.pronamespace = to_regnamespace(d.schema) and p.proname = d.name)
              when 'table' then to_regclass(format('%I.%I', d.schema, d.relation)) is null
              when 'index' then to_regclass(format('%I.%I', d.schema, d.name)) is null
              -- Of a table that is missing, nothing more is said.
              else to_regclass(format('%I.%I', d.schema, d.relation)) is not null and case d.kind
                when 'column' then not exists (select from pg_attribute a where a.attrelid = to_regclass(format('%I.%I', d.schema, d.relation)) and a.attname = d.name and not a.attisdropped)
                when 'constraint' then not exists (select from pg_constraint c where c.conrelid = to_regclass(format('%I.%I', d.schema, d.relation)) and c.conname = d.name)
                else not exists (select from pg_trigger t where t.tgrelid = to_regclass(format('%I.%I', d.schema, d.relation)) and t.tgname = d.name) end
            end
      order by d.n`,
    [
      declared.map(({ kind }) => kind),
      declared.map(({ schema }) => (schema === PGMQ ? queues.name : schema)),
      declared.map(({ relation }) => relation),
      declared.map(({ name }) => name),
    ],
  );
  return rows.map(({ n }) => {
    const { kind, what, statement } = declared[n]!;
    return { kind, what: inPgmqSchema(what, queues), statement: statement && inPgmqSchema(statement, queues) };
  });
}

/** All foreign keys of the schema. */
export async function declaredReferences(): Promise<Reference[]> {
  const references: Reference[] = [];
  for (const { kind, relation, statement } of declaredIn(await schemaSql())) {
    const [, columns, target, targetColumns] =
      (kind === 'constraint' && /foreign key \(([^)]+)\) references animus\.(\w+)\(([^)]+)\)/.exec(statement ?? '')) ||
      [];
    if (columns === undefined) continue;
    references.push({
      table: relation,
      columns: columns.split(', '),
      target: target!,
      targetColumns: targetColumns!.split(', '),
    });
  }
  return references;
}

function schemaSql(): Promise<string> {
  return readFile(join(MIGRATIONS_DIRECTORY, 'schema.sql'), 'utf8');
}

/** From the lines of migrations/schema.sql, which the tests hold equal to a migrated database. */
function declaredIn(sql: string): Declared[] {
  const declared: Declared[] = [];
  let table: { readonly schema: string; readonly relation: string } | null = null;
  for (const line of sql.split(/\r?\n/)) {
    const opens = /^create table (\w+)\.(\w+) \($/.exec(line);
    if (opens) {
      table = { schema: opens[1]!, relation: opens[2]! };
      declared.push({ kind: 'table', what: `table ${opens[1]}.${opens[2]}`, statement: null, name: '', ...table });
    } else if (table !== null && line.startsWith(')')) table = null;
    else if (table !== null) {
      const [, constraint, definition] = /^ {2}constraint (\w+) (.*?),?$/.exec(line) ?? [];
      const column = /^ {2}(\w+) /.exec(line)?.[1];
      const of = `${table.schema}.${table.relation}`;
      if (constraint !== undefined) {
        const statement = `alter table ${of} add constraint ${constraint} ${definition};`;
        declared.push({
          kind: 'constraint',
          what: `constraint ${constraint} of ${of}`,
          statement,
          name: constraint,
          ...table,
        });
      } else if (column !== undefined && !/^(primary|unique|check)$/.test(column)) {
        declared.push({ kind: 'column', what: `column ${column} of ${of}`, statement: null, name: column, ...table });
      }
    } else {
      const [, index] = /^create (?:unique )?index (\w+) on /.exec(line) ?? [];
      const [, trigger, schema, relation] = /^create trigger (\w+) .*? on (\w+)\.(\w+) /.exec(line) ?? [];
      if (index !== undefined) {
        declared.push({
          kind: 'index',
          what: `index animus.${index}`,
          statement: line,
          schema: 'animus',
          relation: '',
          name: index,
        });
      } else if (trigger !== undefined) {
        const what = `trigger ${trigger} of ${schema}.${relation}`;
        declared.push({ kind: 'trigger', what, statement: line, schema: schema!, relation: relation!, name: trigger });
      }
    }
  }
  return declared;
}

async function declaredFunctions(): Promise<Declared[]> {
  const { functions } = await readSchemaFiles();
  const names = functions.flatMap(({ sql }) =>
    [...sql.matchAll(/^create or replace function animus\.(\w+)\s*\(/gm)].map((found) => found[1]!),
  );
  return [...new Set(names)].map((name) => ({
    kind: 'function',
    what: `function animus.${name}`,
    statement: null,
    schema: 'animus',
    relation: '',
    name,
  }));
}
