/** Names the settings of the server, database and role that matter to animus, with what they do and their cure. */
import { readServerSettings, type ServerSetting } from '../../store/postgres/server-settings.ts';
import { LEAST_TIMEOUT_MS, settledValue } from '../../store/postgres/session-settings.ts';
import type { Database } from '../../store/sql/database.ts';
import { duration } from '../view/quantities.ts';
import { type Finding, fine, note, problem } from './finding.ts';

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

/** `to`: the value that cures it; null: nothing needs to be done. */
interface Found {
  readonly state: Finding['state'];
  readonly why: string;
  readonly to: string | null;
}

function finding({ state, why, to }: Found, { name, value, role }: ServerSetting, login: Login): Finding {
  const detail = `${name} = ${shown(name, value)}${role === null ? '' : ` of role ${role}`}: ${why}`;
  if (to === null) return fine('settings', detail);
  const cure = `alter role ${quoted(role ?? login.role)} in database ${quoted(login.database)} set ${name} = '${to}'`;
  return (state === 'problem' ? problem : note)('settings', detail, cure);
}

const shown = (name: string, value: string) =>
  name in LEAST_TIMEOUT_MS ? duration(Number(value)) : JSON.stringify(value);

const quoted = (name: string) => (/^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`);

/** What applications feel, whatever animus sets in its own sessions: for this login, and for other roles in this database. */
const FELT: Readonly<Record<string, (setting: ServerSetting) => Found | null>> = {
  default_transaction_isolation: ({ value }) =>
    value.startsWith('read')
      ? null
      : {
          state: 'note',
          why: 'animus uses read committed in its own sessions; an application is refused cancels, decisions and watches (WA002) unless it begins them with isolation level read committed, and must repeat what fails with 40001',
          to: 'read committed',
        },
  default_transaction_read_only: ({ value, role }) =>
    value === 'off'
      ? null
      : { state: role === null ? 'problem' : 'note', why: 'nothing can be submitted, run or recorded', to: 'off' },
  session_replication_role: ({ value, role }) =>
    value !== 'replica'
      ? null
      : {
          state: role === null ? 'problem' : 'note',
          why: 'no trigger runs, so work cannot be submitted',
          to: 'origin',
        },
  restrict_nonsystem_relation_kind: ({ value }) =>
    value.includes('view')
      ? { state: 'note', why: 'applications cannot read the views of animus; its own sessions can', to: '' }
      : null,
};

/** A setting that sessions of animus change: it does not matter, unless they do not keep what they set. */
function examineOwn({ name, value, now }: ServerSetting): Found | null {
  if (name in LEAST_TIMEOUT_MS) {
    const least = LEAST_TIMEOUT_MS[name as keyof typeof LEAST_TIMEOUT_MS];
    if (value === '0' || Number(value) >= least) return null;
    if (now === '0' || Number(now) >= least)
      return { state: 'ok', why: `animus raises it in its own sessions to ${duration(least)}`, to: null };
    return { state: 'note', why: `animus may be ended by it; it needs ${duration(least)}`, to: `${least}ms` };
  }
  const settled = settledValue(name);
  if (settled === null || name === 'TimeZone' || isSo(value, settled)) return null;
  if (isSo(now ?? '', settled)) return { state: 'ok', why: `animus sets ${settled} in its own sessions`, to: null };
  const state = MUST_LAST.has(name) ? 'problem' : 'note';
  return { state, why: `animus sets ${settled} in its own sessions, and a pooler does not keep it`, to: settled };
}

/** DateStyle has the order of day and month behind it. */
const isSo = (value: string, settled: string) => value === settled || value.startsWith(`${settled},`);

/** Without these, times cannot be read. */
const MUST_LAST: ReadonlySet<string> = new Set(['DateStyle', 'IntervalStyle']);
