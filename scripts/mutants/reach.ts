/** Which tests reach which source, and how directly: by imports, and by the names of SQL functions. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, extname, join, normalize } from 'node:path';
import { type SqlObject, sqlObjects, sqlUses } from './sql-objects.ts';

/** From a file or `sql NAME` to those that use it. */
export interface Reach {
  readonly users: ReadonlyMap<string, readonly string[]>;
  readonly objects: readonly SqlObject[];
}

export function readReach(root: string): Reach {
  const read = (file: string) => readFileSync(join(root, file), 'utf8');
  const sql = globSync('migrations/functions/**/*.sql', { cwd: root }).map((file) => ({ file, source: read(file) }));
  const objects = sql.flatMap(({ file, source }) => sqlObjects(file, source));
  const triggering = globSync('migrations/*.sql', { cwd: root, exclude: ['migrations/schema.sql'] }).map(read);
  const uses = sqlUses(objects, [...triggering, ...sql.map(({ source }) => source)]);
  const users = new Map<string, string[]>();
  const add = (used: string, user: string) => {
    const list = users.get(used);
    if (list) list.push(user);
    else users.set(used, [user]);
  };
  for (const [name, used] of uses) for (const each of used) add(`sql ${each}`, `sql ${name}`);
  const names = new Set(objects.map(({ name }) => name));
  for (const file of globSync('{src,tests}/**/*.ts', { cwd: root })) {
    const source = read(file);
    for (const imported of importsOf(file, source)) add(imported, file);
    for (const name of namesIn(source)) if (names.has(name)) add(`sql ${name}`, file);
  }
  return { users, objects };
}

/** How many steps each file is away from `start`: its users 1, their users 2, … */
export function distances({ users }: Reach, start: string): Map<string, number> {
  const found = new Map([[start, 0]]);
  for (const [node, distance] of found) {
    for (const user of users.get(node) ?? []) if (!found.has(user)) found.set(user, distance + 1);
  }
  return found;
}

/** The name of the SQL object around an offset of its file. */
export function objectAt({ objects }: Reach, file: string, offset: number): string | null {
  return objects.findLast((object) => object.file === file && object.start <= offset)?.name ?? null;
}

/** The address of a thread or process may lack its extension. */
const IMPORT =
  /(?:^|\n)(?:import|export)(?! type)[^;]*?from '(\.[^']+)'|import\('(\.[^']+)'\)|new URL\(['`](\.[^'`$]+)/g;

function importsOf(file: string, source: string): Set<string> {
  const paths = [...source.matchAll(IMPORT)].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
  return new Set(paths.map((path) => normalize(join(dirname(file), extname(path) === '' ? `${path}.ts` : path))));
}

/** Words that may be names of SQL functions: behind `animus.`, or with an underscore. */
function namesIn(source: string): Set<string> {
  return new Set([...source.matchAll(/\banimus\.(\w+)|\b([a-z]+_\w+)/g)].map((match) => (match[1] ?? match[2])!));
}
