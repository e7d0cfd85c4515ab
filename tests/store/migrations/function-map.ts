/** The SQL functions as their comments describe them, and the maps of them in the docs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MIGRATIONS_DIRECTORY, schemaFileNames } from '../../../src/store/migrations/migration-files.ts';
import type { Database } from '../../../src/store/sql/database.ts';

export interface SqlFunction {
  readonly name: string;
  readonly file: string;
  /** The first sentence of its comment. */
  readonly contract: string;
  /** The text after "Locks:" and "Raises:"; empty if the comment does not contain it. */
  readonly locks: string;
  readonly raises: string;
  /** From its name to the end of its body. */
  readonly text: string;
}

const FUNCTIONS = join(MIGRATIONS_DIRECTORY, 'functions');
const FILES = (await schemaFileNames()).functions;
const PAGES = { public: 'sql-api.md', internal: 'architecture.md' } as const;
const page = (name: string) => join(MIGRATIONS_DIRECTORY, '..', 'docs', name);

/** Migrations with functions on which stored columns depend, so that they are never replaced. */
const PINNED = ['0061_fold_memory_words.sql'];

/** Every function of migrations/functions, in the order in which they are applied, and those that a migration has made for good. */
export function sqlFunctions(): SqlFunction[] {
  const read = (directory: string) => (file: string) => functionsOf(file, readFileSync(join(directory, file), 'utf8'));
  return [...PINNED.flatMap(read(MIGRATIONS_DIRECTORY)), ...FILES.flatMap(read(FUNCTIONS))];
}

function functionsOf(file: string, sql: string): SqlFunction[] {
  // A body is in dollar quotes, or a return statement.
  const pattern =
    /((?:^--.*\n)*)(?:^drop function .*\n)*^create (?:or replace )?function animus\.(\w+)((?:(?!\$\$)[^])*?;$|[^]*?\$\$;$)/gm;
  return [...sql.matchAll(pattern)].map(([, comment, name, text]) => {
    const words = comment!
      .replaceAll(/^--\s?/gm, '')
      .replaceAll('\n', ' ')
      .trim();
    const [, locks = '', raises = ''] = /\bLocks: (.*)\. Raises: (.*)\.$/.exec(words) ?? [];
    const contract = /^.*?[.](?= |$)/.exec(words.replace(/\(RFC 9562\)/, '(RFC 9562)'))?.[0] ?? '';
    return { name: name!, file, contract: contract.startsWith('Locks:') ? '' : contract, locks, raises, text: text! };
  });
}

/** The pages with new maps, by path. The database determines which roles may call a function. */
export async function pagesWithMaps(db: Database): Promise<Map<string, string>> {
  const callers = await rolesOf(db);
  const rows = { public: [] as string[], internal: [] as string[] };
  for (const { name, file, contract } of sqlFunctions()) {
    const roles = callers.get(name);
    if (roles) rows.public.push(`| \`${name}\` | ${roles} | ${contract} |`);
    else rows.internal.push(`| \`${name}\` | ${file.slice(0, -4)} | ${contract} |`);
  }
  return new Map([
    withMap(PAGES.public, ['| function | who may call it | what it does |', '|---|---|---|', ...rows.public.sort()]),
    withMap(PAGES.internal, ['| function | file | what it does |', '|---|---|---|', ...rows.internal]),
  ]);
}

/** Functions that any role except the owner may call, with those roles without `animus_`. */
async function rolesOf(db: Database): Promise<Map<string, string>> {
  const rows = await db.query<{ name: string; roles: string[] }>(
    `select may.name, array_agg(substr(may.r, 8) order by may.n) as roles
       from (select distinct p.proname as name, r.r, r.n
               from pg_proc p cross join unnest(animus.roles()) with ordinality as r (r, n)
              where p.pronamespace = 'animus'::regnamespace and p.prorettype <> 'trigger'::regtype
                and animus.role_may_call(r.r, p.proname, p.prosecdef, p.prosrc)) may group by may.name`,
  );
  const [all] = await db.query<{ n: number }>('select cardinality(animus.roles()) as n');
  return new Map(rows.map(({ name, roles }) => [name, roles.length === all!.n ? 'all' : roles.join(', ')]));
}

const BEGIN = '<!-- Written by `npm run schema`. -->\n';
const END = '<!-- End of what `npm run schema` writes. -->';

function withMap(name: string, lines: readonly string[]): [string, string] {
  const path = page(name);
  const text = readFileSync(path, 'utf8');
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from < 0 || to < 0) throw new Error(`${name} has no place for the map of functions`);
  return [path, `${text.slice(0, from + BEGIN.length)}${lines.join('\n')}\n${text.slice(to)}`];
}
