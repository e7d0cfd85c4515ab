/** Reads the settings that sessions of a login begin with, before a connection of ours has changed them. */
import type { Queryable } from '../sql/database.ts';
import { LEAST_TIMEOUT_MS, SETTLED } from './session-settings.ts';

/** One setting of this login, or of another role in this database. */
export interface ServerSetting {
  readonly name: string;
  readonly value: string;
  /** The role, if it is not that of this login. */
  readonly role: string | null;
  /** What this session has; null for another role. */
  readonly now: string | null;
}

const READ = [...SETTLED, 'default_transaction_read_only', 'session_replication_role'];

/** The settings that matter to animus: those of this login, and what `alter role` says for others that may use animus. Time-outs are in milliseconds. */
export async function readServerSettings(db: Queryable): Promise<readonly ServerSetting[]> {
  const found = await db.query<ServerSetting>(
    `select name, reset_val as value, null as role, setting as now from pg_settings where name = any ($1)
     union all
     select split_part(c.line, '=', 1), substr(c.line, strpos(c.line, '=') + 1), r.rolname, null
       from pg_db_role_setting s join pg_roles r on r.oid = s.setrole cross join unnest(s.setconfig) c (line)
      where s.setdatabase in (0, (select oid from pg_database where datname = current_database())) and r.rolname <> session_user
        and case when to_regnamespace('animus') is not null then has_schema_privilege(r.oid, to_regnamespace('animus'), 'usage') end
        and split_part(c.line, '=', 1) = any ($1)
     order by role nulls first, name`,
    [READ],
  );
  return found.map((one) => (one.name in LEAST_TIMEOUT_MS ? { ...one, value: inMilliseconds(one.value) } : one));
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, min: 60_000, h: 3_600_000, d: 86_400_000 };

function inMilliseconds(value: string): string {
  const [, number, unit = 'ms'] = /^(\d+)\s*([a-z]+)?$/.exec(value) ?? [];
  return number === undefined ? value : String(Number(number) * (UNITS[unit] ?? 1));
}
