/** A server of the oldest PostgreSQL that animus runs on, where one is installed. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { memoryDirectory } from './memory-directory.ts';

/** Its programs; null where there are none. */
export const OLDER_POSTGRES: string | null =
  [process.env['ANIMUS_TEST_POSTGRES_15'], '/usr/lib/postgresql/15/bin'].find(
    (directory) => directory !== undefined && existsSync(join(directory, 'postgres')),
  ) ?? null;

/** Starts one on a free loopback port. `url`: of a superuser, to the database `postgres`. With a `password`, it asks every login for one. */
export async function startOlderPostgres(
  bin: string,
  flags: readonly string[] = [],
  password: string | null = null,
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const root = memoryDirectory('pg');
  chmodSync(root, 0o711);
  const data = join(root, 'data');
  mkdirSync(data);
  const as = serverUser();
  if (as.uid !== undefined) execFileSync('chown', ['-R', `${as.uid}:${as.gid}`, data]);
  writeFileSync(join(root, 'password'), password ?? 'none');
  const logins = [
    '-U',
    'postgres',
    '-A',
    password === null ? 'trust' : 'scram-sha-256',
    `--pwfile=${join(root, 'password')}`,
  ];
  const initdb = ['-D', data, ...logins, '-E', 'UTF8', '--locale=C', '--no-sync'];
  execFileSync(join(bin, 'initdb'), initdb, { ...as, cwd: root, stdio: 'pipe' });
  const port = await freePort();
  const settings = [`port=${port}`, 'fsync=off', 'listen_addresses=127.0.0.1', 'unix_socket_directories='];
  const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting]), ...flags];
  const server = spawn(join(bin, 'postgres'), args, { ...as, cwd: root, stdio: 'ignore' });
  const ended = once(server, 'exit');
  const url = `postgres://postgres${password === null ? '' : `:${password}`}@127.0.0.1:${port}/postgres?sslmode=disable`;
  const stop = async () => {
    server.kill('SIGINT'); // as pg_ctl stop -m fast
    await ended;
    rmSync(root, { recursive: true, force: true });
  };
  try {
    await eventually('the older server answers', () => answers(url));
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, stop };
}

/** A server refuses to run as root. Its package has made a user. */
function serverUser(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (which: string) => Number(execFileSync('id', [which, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

async function answers(url: string): Promise<true | null> {
  const db = openPostgres(url, { poolSize: 1 });
  try {
    await db.query('select');
    return true;
  } catch {
    return null;
  } finally {
    await db.close();
  }
}
