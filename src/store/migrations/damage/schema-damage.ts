/** Compares a schema with what the migrations make: what somebody has dropped or changed. What others have added is theirs. */
import type { Queryable } from '../../sql/database.ts';
import { expectedObjects, nameOf, type SchemaObject } from '../../sql/expected-objects.ts';
import { inPgmqSchema, type PgmqSchema, pgmqSchema } from '../../sql/pgmq-schema.ts';
import { readValues } from '../../sql/read-value.ts';
import type { Reference } from '../../views/damage.ts';
import { readObjects } from './schema-objects.ts';
import { Rights } from './schema-rights.ts';
import { START_OF_TOKENS } from './sequences.ts';

/**
 * What puts an object right. `functions`: applying the function files again. `grants`: granting the roles their rights again. `statement`: one that loses
 * nothing and does not take long. All three are done by `animus db migrate`. `hand`: it may fail, take long or lose something, so a person decides.
 */
export type Cure =
  | { readonly by: 'functions' | 'grants' }
  | { readonly by: 'statement'; readonly sql: string }
  | { readonly by: 'hand'; readonly advice: string };

export interface ObjectDamage {
  readonly object: SchemaObject;
  /** A sentence, such as `index animus.work_items_claimable is missing`. */
  readonly what: string;
  readonly cure: Cure;
}

/** In a transaction. Reads the catalogue only. For a schema of this version: others have other objects. */
export async function readDamage(tx: Queryable): Promise<ObjectDamage[]> {
  const expected = await expectedObjects();
  const found = new Map((await readObjects(tx)).map((object) => [keyOf(object), object]));
  const roles = await readValues<string>(tx, `select rolname from pg_catalog.pg_roles where rolname ~ '^animus_'`);
  const damage: ObjectDamage[] = [];
  const rights = new Rights(new Set(roles));
  const gone = new Set<string>();
  for (const object of inOrder(expected)) {
    const there = found.get(keyOf(object));
    if (gone.has(object.of)) continue;
    if (there === undefined) {
      if (object.kind === 'table') gone.add(object.name);
      if (leftOut(object)) continue;
      damage.push({ object, what: `${nameOf(object)} is missing`, cure: cureOfMissing(object) });
    } else {
      damage.push(...differences(object, there));
      rights.compare(object, there);
    }
  }
  const queues = await pgmqSchema(tx);
  const ofRoles = rights.differences().map((one): ObjectDamage => ({ ...one, cure: { by: 'grants' } }));
  return [...damage, ...ofRoles].map((one) => inSchema(one, queues));
}

function inSchema({ object, what, cure }: ObjectDamage, queues: PgmqSchema): ObjectDamage {
  const text = (plain: string) => inPgmqSchema(plain, queues);
  const own: Cure =
    cure.by === 'statement'
      ? { by: 'statement', sql: text(cure.sql) }
      : cure.by === 'hand'
        ? { by: 'hand', advice: text(cure.advice) }
        : cure;
  return { object, what: text(what), cure: own };
}

/** All foreign keys of the schema. */
export async function declaredReferences(): Promise<Reference[]> {
  const references: Reference[] = [];
  for (const { kind, of, facts } of await expectedObjects()) {
    const [, columns, target, targetColumns] =
      (kind === 'constraint' &&
        /^FOREIGN KEY \(([^)]+)\) REFERENCES animus\.(\w+)\(([^)]+)\)/.exec(facts['definition']!)) ||
      [];
    if (columns === undefined) continue;
    const table = of.replace('animus.', '');
    references.push({
      table,
      columns: columns.split(', '),
      target: target!,
      targetColumns: targetColumns!.split(', '),
    });
  }
  return references;
}

const keyOf = ({ kind, of, name }: SchemaObject) => `${kind} ${of} ${name}`;

/** A table comes before what is part of it. */
function inOrder(objects: readonly SchemaObject[]): SchemaObject[] {
  return objects.toSorted((a, b) => Number(b.kind === 'table') - Number(a.kind === 'table'));
}

/** The check of the queues reports those, and the identity of a column says what its sequence is. */
function leftOut({ kind, of, name }: SchemaObject): boolean {
  return name.startsWith('pgmq') || (kind === 'sequence' && of !== '');
}

function cureOfMissing(object: SchemaObject): Cure {
  const { kind, of, name, facts } = object;
  switch (kind) {
    case 'view':
    case 'function':
      return { by: 'functions' };
    case 'trigger':
      return { by: 'statement', sql: makeTrigger(object) };
    case 'sequence':
      return { by: 'statement', sql: `create sequence ${name} as ${facts['type']}; ${START_OF_TOKENS}` };
    case 'type':
      return { by: 'statement', sql: `create type ${name} as (${facts['columns']})` };
    case 'constraint':
      return byHand(`alter table ${of} add constraint ${name} ${facts['definition']}`);
    case 'index':
      return byHand(facts['definition']!);
    default:
      return { by: 'hand', advice: 'restore it from a backup, with what was in it (docs/operations.md)' };
  }
}

function differences(object: SchemaObject, there: SchemaObject): ObjectDamage[] {
  const names = new Set([...Object.keys(object.facts), ...Object.keys(there.facts)]);
  return [...names].flatMap((fact) => {
    if (fact === 'grants' || bare(object.facts[fact]) === bare(there.facts[fact])) return [];
    const [what, cure] = difference(object, fact, object.facts[fact], there.facts[fact]);
    return [{ object, what: `${nameOf(object)} ${what}`, cure }];
  });
}

/** The server writes an expression with other parentheses after a dump of it was restored. */
const bare = (text: string | undefined) => text?.replace(/[\s()]/g, '');

/** One fact that is not what it should be: in words, and the cure. */
function difference(
  object: SchemaObject,
  fact: string,
  wanted: string | undefined,
  is: string | undefined,
): [string, Cure] {
  const { kind, of, name } = object;
  const column = `alter table ${of} alter column ${name}`;
  switch (`${kind} ${fact}`) {
    case 'column default':
      return wanted === undefined
        ? [`has a default, ${is}`, statement(`${column} drop default`)]
        : [
            `has ${is === undefined ? 'lost its default' : `the default ${is}`}, instead of ${wanted}`,
            statement(`${column} set default ${wanted}`),
          ];
    case 'column required':
      return wanted === undefined
        ? ['has a not-null constraint', statement(`${column} drop not null`)]
        : ['may be null', byHand(`${column} set not null`)];
    case 'column identity':
      return wanted === undefined
        ? ['is an identity column', byHand(`${column} drop identity`)]
        : [
            'is no longer an identity column',
            statement(
              `${column} ${is === undefined ? `add generated ${identity(wanted)} as identity` : `set generated ${identity(wanted)}`}`,
            ),
          ];
    case 'trigger off':
      return ['is switched off', statement(`alter table ${of} enable trigger ${name}`)];
    case 'trigger definition':
      return ['has another definition', statement(`drop trigger ${name} on ${of}; ${makeTrigger(object)}`)];
    case 'table references':
      return [
        'does not check its foreign keys: their triggers are switched off',
        { by: 'hand', advice: `run as a superuser: alter table ${name} enable trigger all;` },
      ];
    case 'table unlogged':
      return ['is unlogged: a crash of the server empties it', byHand(`alter table ${name} set logged`)];
    case 'table identity':
      return ['has no replica identity', byHand(`alter table ${name} replica identity full`)];
    case 'index invalid':
      return ['is not valid: it was left by an unfinished build', byHand(`reindex index concurrently animus.${name}`)];
    case 'index definition':
      return ['has another definition', byHand(`drop index animus.${name}; ${wanted}`)];
    case 'constraint definition':
      return is === `${wanted} NOT VALID`
        ? ['is not validated', byHand(`alter table ${of} validate constraint ${name}`)]
        : [
            'has another definition',
            byHand(`alter table ${of} drop constraint ${name}, add constraint ${name} ${wanted}`),
          ];
    case 'sequence type':
    case 'sequence step':
    case 'sequence cycle':
      return [
        'has other options',
        statement(`alter sequence ${name} as ${object.facts['type']} increment by ${object.facts['step']} no cycle`),
      ];
    case 'function made':
    case 'view made':
      return ['is not that of this version of animus', { by: 'functions' }];
    default:
      break;
  }
  if (fact === 'lost') {
    const target = kind === 'view' ? 'table' : kind;
    return [
      `gives the owner of the schema no ${is}`,
      { by: 'statement', sql: `grant all on ${target} ${name} to current_user` },
    ];
  }
  return [
    `has ${fact} ${is ?? 'none'} instead of ${wanted ?? 'none'}`,
    { by: 'hand', advice: 'put that back, or restore the database from a backup (docs/operations.md)' },
  ];
}

const identity = (kind: string) => (kind === 'a' ? 'always' : 'by default');
const makeTrigger = ({ facts }: SchemaObject) => facts['definition']!;
const statement = (sql: string): Cure => ({ by: 'statement', sql });
const byHand = (sql: string): Cure => ({ by: 'hand', advice: `run as the owner of the schema: ${sql};` });
