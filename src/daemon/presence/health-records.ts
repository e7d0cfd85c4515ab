/**
 * Records where the daemons of one home serve their health, in one small file each, so that `animus health` asks the
 * right ones.
 */
import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type HttpAddress, showAddress } from '../../core/lifecycle/health.ts';

interface HealthRecord {
  readonly pid: number;
  /** Where the pid means something: containers that share a home have processes of their own. */
  readonly space: string;
  readonly host: string;
  readonly port: number;
}

/**
 * Records where a daemon serves its health; returns a function that removes the record. Also removes records of processes that no
 * longer exist.
 */
export function recordHealth(home: string, daemonId: string, { host, port }: HttpAddress): () => void {
  const directory = directoryOf(home);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  for (const { file, record } of recordsIn(directory)) {
    if (record?.space === pidSpace() && !isAlive(record.pid)) rmSync(join(directory, file), { force: true });
  }
  const own = join(directory, `${daemonId}.json`);
  const record: HealthRecord = { pid: process.pid, space: pidSpace(), host, port };
  writeFileSync(own, JSON.stringify(record), { mode: 0o600 });
  return () => rmSync(own, { force: true });
}

/** The addresses of the daemons of a home that run on this host, each once. */
export function healthAddresses(home: string): HttpAddress[] {
  const alive = recordsIn(directoryOf(home)).flatMap(({ record }) =>
    record?.space === pidSpace() && isAlive(record.pid) ? [record] : [],
  );
  return [...new Map(alive.map(({ host, port }) => [showAddress({ host, port }), { host, port }])).values()];
}

function directoryOf(home: string): string {
  return join(home, 'health');
}

function recordsIn(directory: string): { readonly file: string; readonly record: HealthRecord | null }[] {
  let files: string[];
  try {
    files = readdirSync(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  return files.map((file) => ({ file, record: readRecord(join(directory, file)) }));
}

/** Null for a record that cannot be read: half written, or just removed by its daemon. */
function readRecord(file: string): HealthRecord | null {
  try {
    const { pid, space, host, port } = JSON.parse(readFileSync(file, 'utf8')) as Partial<HealthRecord>;
    const named = typeof space === 'string' && typeof host === 'string';
    return named && typeof pid === 'number' && typeof port === 'number' ? { pid, space, host, port } : null;
  } catch {
    return null;
  }
}

/** The PID namespace; elsewhere than on Linux, the host. */
function pidSpace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return hostname();
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
