/** Checks whether the server accepts the role without its password. */
import { randomUUID } from 'node:crypto';
import { Client } from 'pg';

/**
 * True when the server accepts a connection with a random password: by `trust`, or by `peer` for this user. False when
 * it is refused for any reason. Takes at most 5 s.
 */
export async function letsInWithoutPassword(connectionString: string): Promise<boolean> {
  const client = new Client({ connectionString, connectionTimeoutMillis: 5000 });
  client.password = randomUUID();
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}
