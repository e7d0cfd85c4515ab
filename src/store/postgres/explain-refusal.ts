/** Says which role a statement needs that the server refused for lack of a right, and which the login has. */
import { AnimusError, isAnimusError } from '../../core/errors/errors.ts';
import type { Queryable } from '../sql/database.ts';
import { sqlState } from '../sql/database-errors.ts';
import { rolesWithRight } from '../sql/expected-objects.ts';

/** The roles of `animus db migrate`, from the one with the fewest rights. */
const ROLES = ['animus_submitter', 'animus_reader', 'animus_operator', 'animus_daemon', 'animus_gateway'];

interface Rights {
  readonly login: string;
  /** Whether it has the rights of the owner of the schema. */
  readonly owns: boolean;
  /** Of ROLES, those of which the login is a member. */
  readonly has: readonly string[];
  /** Of these, those whose rights it does not inherit. */
  readonly withheld: readonly string[];
  /** Of ROLES, those that may do what was refused. */
  readonly suffices: readonly string[];
}

/**
 * The same error with what helps: which roles would do, which ones the login has, and what it may see with them. Other errors, and what is not a
 * right of an object of animus, are returned unchanged. `sql`: the statement. It never rejects.
 */
export async function explainRefusal(error: unknown, sql: string, db: Queryable): Promise<unknown> {
  const [, kind, name] = refused(error) ?? [];
  if (!isAnimusError(error, 'db.forbidden') || kind === undefined || name === undefined) return error;
  const right = /^\s*(insert|update|delete)\b/i.exec(sql)?.[1] ?? 'select';
  const rights = await readRights(
    db,
    kind === 'function'
      ? [OF_FUNCTION, [ROLES, name]]
      : kind === 'schema'
        ? [OF_SCHEMA, [ROLES, name]]
        : [OF_TABLE, [ROLES, name, right]],
  );
  if (rights === null) return error;
  // Those that should be able to, by the migrations.
  const meant = (
    await rolesWithRight(kind, name, kind === 'function' ? 'execute' : kind === 'schema' ? 'usage' : right)
  ).toSorted((a, b) => ROLES.indexOf(a) - ROLES.indexOf(b));
  if (rights.suffices.length + meant.length === 0) return error;
  const hint = hintOf(rights, meant, kind);
  if (hint === null) return error;
  return new AnimusError('db.forbidden', { ...error.details, hint }, { cause: error.cause });
}

/** Only the server's own words; what our functions raise says itself what is missing. */
function refused(error: unknown): RegExpExecArray | null {
  if (!isAnimusError(error, 'db.forbidden') || sqlState(error) !== '42501') return null;
  return /^permission denied for (table|view|function|schema) (\w+)$/.exec((error.cause as Error).message);
}

/** Null if even that cannot be read: the refusal itself is what counts. */
async function readRights(
  db: Queryable,
  [sql, params]: readonly [sql: string, params: readonly unknown[]],
): Promise<Rights | null> {
  try {
    const [row] = await db.query<Rights>(sql, params);
    return row ?? null;
  } catch {
    return null;
  }
}

const rightsWhere = (may: string) =>
  `select current_user::text as login, exists (select from pg_namespace n where n.nspname = 'animus' and pg_has_role(n.nspowner, 'usage')) as owns,
          array(select r.rolname::text from pg_roles r where r.rolname = any ($1) and pg_has_role(r.oid, 'member')
                 order by array_position($1, r.rolname::text)) as has,
          array(select r.rolname::text from pg_roles r where r.rolname = any ($1) and pg_has_role(r.oid, 'member') and not pg_has_role(r.oid, 'usage')
                 order by array_position($1, r.rolname::text)) as withheld,
          array(select r.rolname::text from pg_roles r where r.rolname = any ($1) and exists (${may})
                 order by array_position($1, r.rolname::text)) as suffices`;
const OF_FUNCTION = rightsWhere(
  `select from pg_proc p where p.pronamespace = 'animus'::regnamespace and p.proname = $2 and has_function_privilege(r.oid, p.oid, 'execute')`,
);
const OF_SCHEMA = rightsWhere(
  `select from pg_namespace n where n.nspname = $2 and n.nspname in ('animus', 'pgmq') and has_schema_privilege(r.oid, n.oid, 'usage')`,
);
const OF_TABLE = rightsWhere(
  `select from pg_class c join pg_namespace n on n.oid = c.relnamespace and n.nspname in ('animus', 'pgmq')
    where c.relname = $2 and has_table_privilege(r.oid, c.oid, $3)`,
);

/** Those of daemons and gateways are named only where no other would do. */
const OF_SERVICES: readonly string[] = ['animus_daemon', 'animus_gateway'];

function hintOf(
  { login, owns, has, withheld, suffices }: Rights,
  meant: readonly string[],
  kind: string,
): string | null {
  if (owns) {
    return kind === 'schema'
      ? null
      : `; the owner of the schema animus has lost this right, or the ${kind} belongs to another role: animus doctor --deep names it`;
  }
  const withRight = suffices.filter((role) => meant.length === 0 || meant.includes(role));
  const idle = withheld.find((role) => withRight.includes(role));
  if (idle !== undefined) {
    return `; the login ${login} is a member of ${idle} and does not inherit its rights: grant ${idle} to ${login} with inherit true (PostgreSQL 15: alter role ${login} inherit)`;
  }
  const robbed = has.filter((role) => meant.includes(role) && !suffices.includes(role));
  if (robbed.length > 0)
    return `; the role ${listOf(robbed, 'and')} has lost this right: run as the owner of the schema: animus db migrate`;
  // All roles have it: the error has their names.
  if (kind === 'schema') return null;
  const wanted = meant.length > 0 ? meant : suffices;
  const forPeople = wanted.filter((role) => !OF_SERVICES.includes(role));
  const needs = forPeople.length === 0 ? wanted : forPeople;
  // Whoever acts for people must have no other rights.
  if (needs[0] === 'animus_gateway') return `; this needs a login that has only the role animus_gateway`;
  const present = has.length === 0 ? 'none of the roles of animus' : listOf(has, 'and');
  const needed = `; the login ${login} has ${present}, and this needs ${listOf(needs, 'or')}; an administrator grants it: grant ${needs[0]!} to ${login}`;
  const isReading = kind !== 'function' && suffices.includes('animus_reader');
  const offers = isReading && has.includes('animus_submitter');
  return offers
    ? `${needed}. What it has submitted itself it sees with: animus work list, animus work show ID`
    : needed;
}

function listOf(words: readonly string[], before: 'and' | 'or'): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${before} ${words.at(-1)!}`;
}
