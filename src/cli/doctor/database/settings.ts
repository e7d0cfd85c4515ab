/** Names the settings of the server, database and role that matter to animus, with their effect and the remedy. */
import { readServerSettings, type ServerSetting } from '../../../store/postgres/server-settings.ts';
import { LEAST_TIMEOUT_MS, settledValue } from '../../../store/postgres/session-settings.ts';
import type { Database } from '../../../store/sql/database.ts';
import { quotedName } from '../../../store/sql/database-errors.ts';
import { type Finding, fine, note, problem } from '../../../terminal/view/finding.ts';
import { duration, firstOf } from '../../../terminal/view/quantities.ts';

/** One finding per setting that is not as usual; none for the embedded database, whose settings are animus's. */
export async function examineSettings(db: Database): Promise<readonly Finding[]> {
  if (db.kind === 'embedded') return [];
  const [login] = await db.query<Login>('select session_user::text as role, current_database()::text as database');
  return (await readServerSettings(db)).flatMap((setting) => {
    const found = FELT[setting.name]?.(setting) ?? (setting.role === null ? examineOwn(setting) : null);
    return found === null ? [] : [finding(found, setting, login!)];
  });
}

interface Login {
  readonly role: string;
  readonly database: string;
}

/** `to`: the value that cures it; null: nothing needs to be done. `whom`: whose sessions need the cure; those of animus itself only with `all` and `own`. */
interface Found {
  readonly state: Finding['state'];
  readonly why: string;
  readonly to: string | null;
  readonly whom: 'all' | 'applications' | 'own';
}

function finding({ state, why, to, whom }: Found, setting: ServerSetting, login: Login): Finding {
  const { name, role } = setting;
  const what = `${name} = ${shown(name, setting.value)}${role === null ? '' : ` of role ${role}`}`;
  if (to === null) return fine('settings', `${what}: ${why}`);
  const others = whom === 'all' ? setting.logins : whom === 'applications' ? setting.applications : [];
  const detail = `${what}, ${placeText(setting, login)}: ${why}${others.length > 0 ? `; it also applies to ${firstOf(others)}` : ''}`;
  return (state === 'problem' ? problem : note)('settings', detail, cure(`${name} = '${to}'`, whom, setting, login));
}

function placeText({ place, role }: ServerSetting, login: Login): string {
  if (place === 'role') return `set by alter role ${quotedName(role ?? login.role)}`;
  if (place === 'database') return `set by alter database ${quotedName(login.database)}`;
  return place === 'client' ? 'set in DATABASE_URL' : 'set for the whole server';
}

/** Where the value is set: what is set for one login would help this one alone. */
function cure(value: string, whom: Found['whom'], { place, role, applications }: ServerSetting, login: Login): string {
  if (place === 'client') return `change it in DATABASE_URL, or leave it out there: ${value}`;
  const ofRole = (name: string) =>
    `alter role ${quotedName(name)} in database ${quotedName(login.database)} set ${value}`;
  if (place === 'role' || whom === 'own') return ofRole(role ?? login.role);
  const ofDatabase = `alter database ${quotedName(login.database)} set ${value}`;
  // What is set for the database holds for the session that changes it, too.
  const isReadOnly = value.startsWith('default_transaction_read_only');
  const ofAll = `for all logins, as the owner of the database: ${isReadOnly ? `begin read write; ${ofDatabase}; commit` : ofDatabase}`;
  const [one] = applications;
  return whom === 'applications' && one !== undefined ? `${ofAll}; for one application: ${ofRole(one)}` : ofAll;
}

const shown = (name: string, value: string) =>
  name in LEAST_TIMEOUT_MS ? duration(Number(value)) : JSON.stringify(value);

/** What applications feel, whatever animus sets in its own sessions: for this login, and for other roles in this database. */
const FELT: Readonly<Record<string, (setting: ServerSetting) => Found | null>> = {
  default_transaction_isolation({ value }) {
    const why =
      'animus uses read committed in its own sessions and needs no change; an application cannot cancel, decide or watch work (WA002) except at isolation level read committed, and must retry what fails with 40001';
    return value.startsWith('read') ? null : { state: 'note', why, to: 'read committed', whom: 'applications' };
  },
  default_transaction_read_only: ({ value, role }) =>
    value === 'off' ? null : stopsAll(role, 'nothing can be submitted, run or recorded', 'off'),
  session_replication_role: ({ value, role }) =>
    value === 'replica' ? stopsAll(role, 'no trigger runs, so work cannot be submitted', 'origin') : null,
  restrict_nonsystem_relation_kind({ value }) {
    const why = 'applications cannot read the views of animus; its own sessions can';
    return value.includes('view') ? { state: 'note', why, to: '', whom: 'applications' } : null;
  },
};

function stopsAll(role: string | null, why: string, to: string): Found {
  return { state: role === null ? 'problem' : 'note', why, to, whom: 'all' };
}

/** A setting that sessions of animus change: it does not matter, unless they do not keep what they set. */
function examineOwn({ name, value, now }: ServerSetting): Found | null {
  if (name in LEAST_TIMEOUT_MS) {
    const least = LEAST_TIMEOUT_MS[name as keyof typeof LEAST_TIMEOUT_MS];
    if (value === '0' || Number(value) >= least) return null;
    if (now === '0' || Number(now) >= least)
      return { state: 'ok', why: `animus raises it in its own sessions to ${duration(least)}`, to: null, whom: 'own' };
    const why = `it may end sessions of animus, which needs ${duration(least)}`;
    return { state: 'note', why, to: `${least}ms`, whom: 'own' };
  }
  const settled = settledValue(name);
  if (settled === null || name === 'TimeZone' || isSo(value, settled)) return null;
  if (isSo(now ?? '', settled))
    return { state: 'ok', why: `animus sets ${settled} in its own sessions`, to: null, whom: 'own' };
  const why = `animus sets ${settled} in its own sessions, and a pooler does not keep it`;
  return { state: MUST_LAST.has(name) ? 'problem' : 'note', why, to: settled, whom: 'own' };
}

/** DateStyle has the order of day and month behind it. */
const isSo = (value: string, settled: string) => value === settled || value.startsWith(`${settled},`);

/** Without these, times cannot be read. */
const MUST_LAST: ReadonlySet<string> = new Set(['DateStyle', 'IntervalStyle']);
