/** What the migrations make, as facts by which databases can be compared (migrations/damage/schema-objects.ts reads those of one). */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

export type ObjectKind =
  | 'schema'
  | 'type'
  | 'sequence'
  | 'table'
  | 'column'
  | 'constraint'
  | 'index'
  | 'view'
  | 'function'
  | 'trigger';

/** One object. */
export interface SchemaObject {
  readonly kind: ObjectKind;
  /** The table of a column, constraint, index or trigger, and of the sequence of a column; otherwise empty. */
  readonly of: string;
  /** Schema-qualified unless it is part of a table; a function has its argument types. */
  readonly name: string;
  /** Facts that are empty are left out. `grants`: rights of the roles of animus and of public; absent where the schema's owner may not grant them. */
  readonly facts: Readonly<Record<string, string>>;
}

/** In words, such as `index animus.work_items_claimable`. */
export function nameOf({ kind, of, name }: SchemaObject): string {
  if (kind === 'index') return `index animus.${name}`;
  return kind === 'sequence' || of === '' ? `${kind} ${name}` : `${kind} ${name} of ${of}`;
}

/** What the migrations make. `npm run schema` writes the file, and a test holds it equal to a migrated database. */
export async function expectedObjects(): Promise<SchemaObject[]> {
  const lines = (await readFile(OBJECTS_FILE, 'utf8')).split(/\r?\n/).filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as SchemaObject);
}

/** The roles that the migrations give a right (such as `select`) on a table, view or function of this name, with or without a schema. */
export async function rolesWithRight(kind: string, name: string, right: string): Promise<string[]> {
  const named = (await expectedObjects()).filter(
    (object) => object.kind === kind && object.name.replace(/\(.*/, '').replace(/^\w+\./, '') === name,
  );
  const rights = named.flatMap(({ facts }) => [...rightsIn(facts['grants'])]);
  return [...new Set(rights.filter((one) => one.endsWith(` ${right.toUpperCase()}`)).map((one) => one.split(' ')[0]!))];
}

/** Each right in the fact `grants`, such as `animus_reader SELECT`. */
export function rightsIn(granted = ''): Set<string> {
  const roles = granted.split(' ').filter((part) => part !== '');
  return new Set(
    roles.flatMap((part) => {
      const [role, rights] = part.split('=') as [string, string];
      return rights.split(',').map((right) => `${role} ${right}`);
    }),
  );
}

export const OBJECTS_FILE = fileURLToPath(new URL('../../../migrations/objects.jsonl', import.meta.url));
