/**
 * Records where the daemons of one home serve their health, in one small file each, so that `animus health` asks the
 * right ones.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type HttpAddress, showAddress } from '../../core/lifecycle/health.ts';
import { livesOf, processMark } from '../../process/trace/process-mark.ts';
import { hasProcess } from '../../process/trace/process-table.ts';

interface HealthRecord {
  /** The process of the daemon, with where it can be seen: containers and hosts that share a home have processes of their own. */
  readonly process: string;
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
    if (record !== null && livesHere(record) === false) rmSync(join(directory, file), { force: true });
  }
  const own = join(directory, `${daemonId}.json`);
  const record: HealthRecord = { process: ownMark(), host, port };
  writeFileSync(own, JSON.stringify(record), { mode: 0o600 });
  return () => rmSync(own, { force: true });
}

/** The addresses of the daemons of a home that run on this host, each once. */
export function healthAddresses(home: string): HttpAddress[] {
  const alive = recordsIn(directoryOf(home)).flatMap(({ record }) =>
    record !== null && livesHere(record) === true ? [record] : [],
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
    const record = JSON.parse(readFileSync(file, 'utf8')) as Partial<HealthRecord>;
    const { process: mark, host, port } = record;
    const isWhole = typeof mark === 'string' && typeof host === 'string' && typeof port === 'number';
    return isWhole ? { process: mark, host, port } : null;
  } catch {
    return null;
  }
}

/** Elsewhere than on Linux, the name of the host has to do. */
function ownMark(): string {
  return processMark(process.pid) || `${hostname()}/${process.pid}`;
}

/** Null if the process cannot be seen from here. */
function livesHere({ process: mark }: HealthRecord): boolean | null {
  const lives = livesOf(mark);
  if (lives !== null || processMark(process.pid) !== '') return lives;
  const [host, pid] = [mark.slice(0, mark.lastIndexOf('/')), Number(mark.slice(mark.lastIndexOf('/') + 1))];
  return host === hostname() && pid > 0 ? hasProcess(pid) : null;
}
