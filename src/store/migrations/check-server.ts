/** Whether animus can be installed on a server at all. */
import { AnimusError } from '../../core/errors/errors.ts';
import type { Database } from '../sql/database.ts';

const OLDEST_SERVER = 150_000;

/** Errors: `db.refused` for a server that is too old, read-only, or not in UTF8. */
export async function checkServer(database: Database): Promise<void> {
  const [server] = await database.query<{ number: number; version: string; read_only: string; encoding: string }>(
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as version,
            current_setting('transaction_read_only') as read_only, current_setting('server_encoding') as encoding`,
  );
  if (!server) throw new AnimusError('internal.bug', { detail: 'the server did not report its version' });
  const refuse = (detail: string) => new AnimusError('db.refused', { where: database.where, detail, hint: '' });
  if (server.number < OLDEST_SERVER) throw refuse(`PostgreSQL ${server.version} is too old, animus needs 15 or later`);
  if (server.encoding !== 'UTF8') {
    throw refuse(
      `its encoding is ${server.encoding}, animus needs UTF8: create database … template template0 encoding 'UTF8'`,
    );
  }
  if (server.read_only === 'on')
    throw refuse(
      'it is read-only: if it is a standby, connect to the primary; if default_transaction_read_only is on, animus doctor says where it is set',
    );
}
