/**
 * The roles animus_submitter, animus_reader, animus_operator, animus_daemon and animus_gateway: created if the
 * server permits it, and granted their rights.
 */
import type { Queryable } from '../sql/database.ts';
import { readValue } from '../sql/read-value.ts';
import { attempt } from './attempt.ts';
import { readUnfinished, setFinished } from './unfinished.ts';

/** In the order of `animus.roles()`. */
export const ROLES = [
  'animus_submitter',
  'animus_reader',
  'animus_operator',
  'animus_daemon',
  'animus_gateway',
] as const;

/** What is missing for the roles. */
export interface RolesState {
  /** Roles the server does not have. */
  readonly missing: readonly string[];
  /** Roles that exist but lack rights in this database: `animus db migrate` grants them. */
  readonly ungranted: readonly string[];
}

/** Reads the state without changing anything; without a schema, and after a change that was not finished, every existing role is ungranted. */
export async function rolesState(db: Queryable): Promise<RolesState> {
  const unfinished = (await readUnfinished(db)) !== null;
  const rows = await db.query<{ name: string; there: boolean; granted: boolean }>(
    `select name, r.oid is not null as there, coalesce(has_schema_privilege(r.oid, n.oid, 'usage'), false) as granted
       from unnest($1::text[]) with ordinality as wanted (name, nth)
       left join pg_roles r on r.rolname = name left join pg_namespace n on n.nspname = 'animus' order by nth`,
    [ROLES],
  );
  return {
    missing: rows.filter(({ there }) => !there).map(({ name }) => name),
    ungranted: rows.filter(({ there, granted }) => there && (unfinished || !granted)).map(({ name }) => name),
  };
}

/** Whether this login may submit work or act for people, and has no right to see all work: it is neither of a daemon, an operator or a reader, nor the owner. */
export async function isLoginOfApplication(db: Queryable): Promise<boolean> {
  return readValue<boolean>(
    db,
    `select exists (select from pg_roles r where r.rolname in ('animus_submitter', 'animus_gateway') and pg_has_role(r.oid, 'member'))
        and not exists (select from pg_roles r where r.rolname in ('animus_reader', 'animus_operator', 'animus_daemon') and pg_has_role(r.oid, 'member'))
        and not exists (select from pg_namespace n where n.nspname = 'animus' and pg_has_role(n.nspowner, 'member'))`,
  );
}

/** The statements for a person who may create roles, when the migrating role may not. */
export function createRoleStatements(missing: readonly string[]): string[] {
  return missing.map((name) => `create role ${name} nologin;`);
}

/**
 * Creates missing roles if the server permits it, and grants rights to all existing ones, after a change of the schema, also one of a process that was
 * killed then, or when one has none. Roles belong to the whole server: two databases migrated at once may create the same role, and either
 * result is valid. To be called by the schema's owner, under the migration lock, in a transaction. Idempotent.
 */
export async function installRoles(tx: Queryable): Promise<RolesState> {
  const before = await rolesState(tx);
  for (const statement of createRoleStatements(before.missing)) await attempt(tx, statement);
  const { missing, ungranted } = await rolesState(tx);
  if (ungranted.length > 0) await grantRoles(tx);
  await setFinished(tx);
  return { missing, ungranted: (await rolesState(tx)).ungranted };
}

/** A test schema without our functions has nothing to grant. */
async function grantRoles(tx: Queryable): Promise<void> {
  const isThere = await readValue<boolean>(tx, `select to_regprocedure('animus.grant_roles()') is not null`);
  if (isThere) await tx.query('select animus.grant_roles()');
}
