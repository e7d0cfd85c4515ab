/** Checks whether notifications arrive; where they do not, whether there is a transaction pooler in between. */
import { isPooled, notificationMs } from '../../../store/postgres/health.ts';
import type { Database } from '../../../store/sql/database.ts';
import { type Finding, fine, note, problem } from '../../../terminal/view/finding.ts';
import { duration } from '../../../terminal/view/quantities.ts';

/** Takes five seconds where none arrives. Errors: those of the connection. */
export async function examineListen(db: Database): Promise<readonly Finding[]> {
  const ms = await notificationMs(db);
  if (ms !== null) {
    const arrived = fine('listen', `a notification arrived after ${duration(ms)}`);
    return (await sendsNone(db)) ? [arrived, note('notify', SILENT, SPEAK)] : [arrived];
  }
  const remedy = 'connect to the server directly, or through a pooler in session mode; until then animus only polls';
  const lost = problem('listen', 'no notification arrived within 5 s', remedy);
  return (await isPooled(db)) ? [lost, await sharedSessions(db)] : [lost];
}

/** A transaction pooler lends the same session to one client after the other, with what the one before has set. */
async function sharedSessions(db: Database): Promise<Finding> {
  const [row] = await db.query<{ login: string }>('select quote_ident(current_user) as login');
  const { login } = row!;
  const detail = `a transaction pooler is in between: what animus sets in its sessions (time zone, date style, search_path and others) reaches every client that uses the login ${login} through it`;
  const cure = `give animus a login that no other application uses: create role … login password '…' in role ${login}, and name it in DATABASE_URL; or connect to the server directly`;
  return note('pooler', detail, cure);
}

const SILENT =
  'animus.notify is off for this login or database: what it inserts, cancels or ends is noticed only at the next poll, after daemon.poll_seconds';
const SPEAK =
  'only an application that uses prepared transactions needs that: set it where that application connects, and reset it here (alter role or alter database … reset animus.notify)';

async function sendsNone(db: Database): Promise<boolean> {
  const [row] = await db.query<{ none: boolean }>(
    `select lower(coalesce(current_setting('animus.notify', true), '')) in ('off', 'false', 'no', '0') as none`,
  );
  return row!.none;
}
