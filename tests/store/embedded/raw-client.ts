/** Connections to the embedded database below or beside the pool. */
import { connect, type Socket } from 'node:net';
import { Client, type ClientConfig } from 'pg';
import type { EmbeddedDatabase } from '../../../src/store/embedded/embedded.ts';

/** A client of the embedded database, with the right password unless `change` says otherwise. */
export async function client(database: EmbeddedDatabase, change: ClientConfig = {}): Promise<Client> {
  const { hostname, port, password } = new URL(database.connectionString);
  const opened = new Client({
    host: hostname,
    port: Number(port),
    user: 'postgres',
    password,
    database: 'postgres',
    ...change,
  });
  opened.on('error', () => {});
  await opened.connect();
  return opened;
}

/** A logged-in raw connection that the driver no longer manages. */
export async function authenticated(database: EmbeddedDatabase): Promise<{ socket: Socket; closed: Promise<unknown> }> {
  const borrowed = await client(database);
  const { stream } = (borrowed as unknown as { connection: { stream: Socket } }).connection;
  stream.removeAllListeners('data');
  return { socket: stream, closed: new Promise((resolve) => stream.once('close', resolve)) };
}

/** A raw connection, for messages that no driver would send. */
export async function rawSocket(
  database: EmbeddedDatabase,
): Promise<{ socket: Socket; received: () => string; closed: Promise<unknown> }> {
  const socket = connect(database.port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1'))).on('error', () => {});
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await new Promise((resolve) => socket.once('connect', resolve));
  return { socket, received: () => text, closed };
}
