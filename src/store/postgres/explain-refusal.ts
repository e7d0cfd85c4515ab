/** Says which role a refused statement needs, and which roles the login has. */
import { AnimusError, errorOf, isAnimusError } from '../../core/errors/errors.ts';
import type { Queryable } from '../sql/database.ts';
import { isDatabaseError } from '../sql/database-errors.ts';
import { rolesWithRight } from '../sql/expected-objects.ts';
import { PGMQ_SCHEMA } from '../sql/pgmq-schema.ts';

/** The roles of `animus db migrate`, from the one with the fewest rights. */
const ROLES = ['animus_submitter', 'animus_reader', 'animus_operator', 'animus_daemon', 'animus_gateway'];

interface Rights {
  readonly kind: 'relation' | 'function' | 'schema';
  readonly name: string;
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
  if (!isAnimusError(error, 'db.forbidden')) return error;
  const words = wordsOfRefusal(error);
  if (words.length === 0) return error;
  const right = /^\s*(insert|update|delete)\b/i.exec(sql)?.[1] ?? 'select';
  const rights = await readRights(db, words, right);
  if (rights === null) return error;
  const idle = rights.kind === 'schema' ? await idleHint(db) : null;
  const hint = idle ?? hintOf(rights, await meantFor(rights, right));
  return hint === null ? error : errorOf('db.forbidden', { ...error.details, hint }, { cause: error.cause });
}

/**
 * One of them is the name of what was refused; in which place depends on the language of the server, and no field has it. Only of what the server itself
 * refuses: what our functions raise says what is missing.
 */
function wordsOfRefusal({ cause }: AnimusError): readonly string[] {
  if (!isDatabaseError(cause) || cause.code !== '42501' || cause.routine !== 'aclcheck_error') return [];
  return cause.message.match(/\w+/g) ?? [];
}

/** Null if it is nothing of animus, or if even that cannot be read: the refusal itself is what counts. */
async function readRights(db: Queryable, words: readonly string[], right: string): Promise<Rights | null> {
  const rows = (await readRows<Rights>(db, RIGHTS, [ROLES, words, right])) ?? [];
  return rows.length === 1 ? rows[0]! : null;
}

/** Of ROLES, those that should have the right, by the migrations. */
async function meantFor({ kind, name }: Rights, right: string): Promise<readonly string[]> {
  const kinds = kind === 'relation' ? ['table', 'view'] : [kind];
  const needed = { relation: right, function: 'execute', schema: 'usage' }[kind];
  const meant = await Promise.all(kinds.map((one) => rolesWithRight(one, name, needed)));
  return ROLES.filter((role) => meant.flat().includes(role));
}

/** A refusal of the whole schema: whether the login has a role that gives it nothing. */
async function idleHint(db: Queryable): Promise<string | null> {
  const [idle] = (await readRows<Idle>(db, NOT_INHERITED, [ROLES])) ?? [];
  if (idle === undefined) return null;
  const cure = idle.by_grant
    ? `grant ${idle.role} to ${idle.login} with inherit true`
    : `alter role ${idle.login} inherit`;
  return `; the login ${idle.login} is a member of ${idle.role}, but does not inherit its rights; an administrator changes that: ${cure}`;
}

async function readRows<Row extends object>(
  db: Queryable,
  sql: string,
  params: readonly unknown[],
): Promise<readonly Row[] | null> {
  try {
    return await db.query<Row>(sql, params);
  } catch {
    return null;
  }
}

const RIGHTS = `
  with named as (
    select 'relation' as kind, c.relname as name, r.rolname, has_table_privilege(r.oid, c.oid, $3) as may
      from pg_class c join pg_namespace n on n.oid = c.relnamespace and n.nspname in ('animus', ${PGMQ_SCHEMA})
      left join pg_roles r on r.rolname = any ($1)
     where c.relname = any ($2) and c.relkind in ('r', 'p', 'v')
    union all
    select 'function', p.proname, r.rolname, has_function_privilege(r.oid, p.oid, 'execute')
      from pg_proc p join pg_namespace n on n.oid = p.pronamespace and n.nspname = 'animus'
      left join pg_roles r on r.rolname = any ($1)
     where p.proname = any ($2)
    union all
    select 'schema', n.nspname, r.rolname, has_schema_privilege(r.oid, n.oid, 'usage')
      from pg_namespace n left join pg_roles r on r.rolname = any ($1)
     where n.nspname = any ($2) and n.nspname in ('animus', ${PGMQ_SCHEMA}))
  select kind, name, current_user::text as login, exists (select from pg_namespace n where n.nspname = 'animus' and pg_has_role(n.nspowner, 'usage')) as owns,
         array(select r.rolname::text from pg_roles r where r.rolname = any ($1) and pg_has_role(r.oid, 'member')
                order by array_position($1, r.rolname::text)) as has,
         array(select r.rolname::text from pg_roles r where r.rolname = any ($1) and pg_has_role(r.oid, 'member') and not pg_has_role(r.oid, 'usage')
                order by array_position($1, r.rolname::text)) as withheld,
         coalesce(array_agg(distinct rolname::text) filter (where may), '{}') as suffices
    from named group by kind, name`;

/** A role of which the login is a member without its rights. `by_grant`: from version 16 on each membership says so, before that the login. */
interface Idle {
  readonly login: string;
  readonly role: string;
  readonly by_grant: boolean;
}

/** A login that only created a role can grant it to others, but does not have it: it is left out. */
const NOT_INHERITED = `select quote_ident(current_user) as login, r.rolname::text as role, current_setting('server_version_num')::int >= 160000 as by_grant
    from pg_roles r where r.rolname = any ($1) and not pg_has_role(r.oid, 'usage')
     and exists (select from pg_auth_members m join pg_roles l on l.oid = m.member
                  where m.roleid = r.oid and l.rolname = current_user and coalesce((to_jsonb(m) ->> 'set_option')::boolean, true))
   order by array_position($1, r.rolname::text)`;

/** Those of daemons and gateways are named only where no other would do. */
const OF_SERVICES: readonly string[] = ['animus_daemon', 'animus_gateway'];

function hintOf({ kind, login, owns, has, withheld, suffices: any }: Rights, meant: readonly string[]): string | null {
  const suffices = ROLES.filter((role) => any.includes(role));
  if (suffices.length + meant.length === 0) return null;
  if (owns) {
    return kind === 'schema'
      ? null
      : `; the owner of the schema animus has lost this right, or the ${kind} belongs to another role: animus doctor --deep names it`;
  }
  const withRight = suffices.filter((role) => meant.length === 0 || meant.includes(role));
  const idle = withheld.find((role) => withRight.includes(role));
  if (idle !== undefined) {
    return `; the login ${login} is a member of ${idle}, but does not inherit its rights: grant ${idle} to ${login} with inherit true (PostgreSQL 15: alter role ${login} inherit)`;
  }
  const robbed = has.filter((role) => meant.includes(role) && !suffices.includes(role));
  if (robbed.length > 0)
    return `; the role ${listOf(robbed, 'and')} has lost this right: run as the owner of the schema: animus db migrate`;
  // All roles have it: the error has their names.
  if (kind === 'schema') return null;
  const wanted = meant.length > 0 ? meant : suffices;
  const forPeople = wanted.filter((role) => !OF_SERVICES.includes(role));
  const needs = forPeople.length === 0 ? wanted : forPeople;
  // Anyone who acts for people must have no other rights.
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
