/** Checks whether the server lets the role log in without its password. */
import { randomUUID } from 'node:crypto';
import { Client } from 'pg';

/**
 * True if the server accepts a connection with a random password, as it does with `trust`, or with `peer` for this user.
 * False if the connection fails for any reason. Takes at most 5 s. The string names one host.
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
