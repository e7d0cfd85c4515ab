/** Reads the settings that sessions of a login begin with, before a connection of ours has changed them, and where they are set. */
import type { Database } from '../sql/database.ts';
import { LEAST_TIMEOUT_MS, SETTLED } from './session-settings.ts';

/** Where a value is set: by `alter role` with or without `in database`, by `alter database`, in the connection string, or for the whole server. */
export type SettingPlace = 'role' | 'database' | 'client' | 'server';

/** One setting of this login, or of another role in this database. */
export interface ServerSetting {
  readonly name: string;
  readonly value: string;
  readonly place: SettingPlace;
  /** The role, if it is not that of this login. */
  readonly role: string | null;
  /** What this session has; null for another role. */
  readonly now: string | null;
  /** Other logins with a role of animus that begin with this value, because it is set for the database or the server; without superusers. */
  readonly logins: readonly string[];
  /** Of `logins`, those that are not for daemons alone. */
  readonly applications: readonly string[];
}

const READ = [...SETTLED, 'default_transaction_read_only', 'session_replication_role'];

/** Logins that may use animus, `name = …` of what `alter role` and `alter database` set, and what of it holds for which role. */
const SETTINGS = `
with schema as (select to_regnamespace('animus')::oid as id),
logins as (
  select r.oid, r.rolname, exists (
           select from pg_roles a where a.rolname in ('animus_submitter', 'animus_reader', 'animus_operator') and pg_has_role(r.oid, a.oid, 'member')) as application
    from pg_roles r, schema
   where r.rolcanlogin and not r.rolsuper and r.rolname <> session_user and schema.id is not null and has_schema_privilege(r.oid, schema.id, 'usage')),
set as (
  select s.setrole, s.setdatabase <> 0 as here, split_part(c.line, '=', 1) as name, substr(c.line, strpos(c.line, '=') + 1) as value
    from pg_db_role_setting s cross join unnest(s.setconfig) c (line)
   where s.setdatabase in (0, (select oid from pg_database where datname = current_database())) and split_part(c.line, '=', 1) = any ($1)),
own as (
  select p.name, p.reset_val as value, p.setting as now,
         exists (select from set s where lower(s.name) = lower(p.name) and s.setrole = (select oid from pg_roles where rolname = session_user)) as of_role,
         exists (select from set s where lower(s.name) = lower(p.name) and s.setrole = 0) as of_database
    from pg_settings p where p.name = any ($1))
select o.name, o.value, o.now, null as role, case when o.of_role then 'role' when o.of_database then 'database' else 'server' end as place,
       case when o.of_role then '{}' else array(select l.rolname::text from logins l where l.oid not in (select s.setrole from set s where s.name = o.name) order by 1) end as logins,
       case when o.of_role then '{}' else array(select l.rolname::text from logins l where l.application and l.oid not in (select s.setrole from set s where s.name = o.name) order by 1) end as applications
  from own o
union all
select s.name, s.value, null, r.rolname, 'role', '{}', '{}'
  from set s join pg_roles r on r.oid = s.setrole, schema
 where r.rolname <> session_user and schema.id is not null and has_schema_privilege(r.oid, schema.id, 'usage')
 order by role nulls first, name`;

/** The settings that matter to animus: those of this login, and what `alter role` says for others that may use animus. Time-outs are in milliseconds. */
export async function readServerSettings(db: Database): Promise<readonly ServerSetting[]> {
  const given = parametersOf(db.connectionString);
  return (await db.query<ServerSetting>(SETTINGS, [READ])).map((one) => ({
    ...one,
    place: one.role === null && given.includes(one.name.toLowerCase()) ? 'client' : one.place,
    value: one.name in LEAST_TIMEOUT_MS ? inMilliseconds(one.value) : one.value,
  }));
}

/** What the connection string says of settings: `?options=-c statement_timeout=…`. '' if it has none. */
function parametersOf(connectionString: string): string {
  const [, query = ''] = /\?([^#]*)/.exec(connectionString) ?? [];
  return new URLSearchParams(query).getAll('options').join(' ').toLowerCase();
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, min: 60_000, h: 3_600_000, d: 86_400_000 };

function inMilliseconds(value: string): string {
  const [, number, unit = 'ms'] = /^(\d+)\s*([a-z]+)?$/.exec(value) ?? [];
  return number === undefined ? value : String(Number(number) * (UNITS[unit] ?? 1));
}
