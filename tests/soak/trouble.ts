/** Random faults of daemons and Postgres. */
import { existsSync, readFileSync } from 'node:fs';
import type { Database } from '../../src/store/sql/database.ts';
import type { DaemonProcess } from '../support/daemon-process.ts';
import type { PostgresProxy } from '../support/postgres-proxy.ts';
import type { PostgresServer } from '../support/postgres-server.ts';

/** One daemon, behind its own proxy. */
export interface Slot {
  readonly proxy: PostgresProxy;
  daemon: DaemonProcess;
}

export interface TroubleMeans {
  readonly slots: readonly Slot[];
  readonly postgres: PostgresServer;
  readonly db: Database;
  readonly leaseSeconds: number;
  readonly start: (slot: Slot) => Promise<void>;
  readonly random: () => number;
}

/** By name, with the likelihood of each. */
export const TROUBLES = {
  async 'SIGKILL of a daemon'(means) {
    const slot = liveOne(means.slots, means.random);
    await slot.daemon.kill('SIGKILL');
    await means.start(slot);
  },
  async 'SIGTERM of a daemon, drained'(means) {
    const slot = liveOne(means.slots, means.random);
    await slot.daemon.kill('SIGTERM');
    const code = await slot.daemon.exited;
    // One whose loop is blocked is ended by its watchdog.
    if (code !== 0 && !slot.daemon.output().includes('the event loop is blocked'))
      throw new Error(`a drained daemon exited with ${code}:\n${slot.daemon.output().slice(-4000)}`);
    await means.start(slot);
  },
  async 'SIGSTOP past the lease, then SIGCONT'(means) {
    const slot = liveOne(means.slots, means.random);
    await slot.daemon.kill('SIGSTOP');
    await pause((means.leaseSeconds + 2) * 1000);
    await slot.daemon.kill('SIGCONT');
  },
  async 'cut network'(means) {
    const slot = liveOne(means.slots, means.random);
    slot.proxy.cut();
    await pause(means.random() * 2 * means.leaseSeconds * 1000);
    slot.proxy.mend();
  },
  async 'terminated backend'({ db, random }) {
    await db.query(
      `select pg_terminate_backend(pid) from (select pid from pg_stat_activity
        where application_name like 'animus%' and application_name <> 'animus soak' order by hashtext(pid::text || $1) limit 2) victims`,
      [String(random())],
    );
  },
  async 'lost acknowledgement'({ slots, random }) {
    const { proxy } = liveOne(slots, random);
    const calls = 1 + Math.floor(random() * 20);
    await new Promise<void>((resolve) => {
      let seen = 0;
      const done = setTimeout(resolve, 5000);
      // The server has committed, but the daemon does not learn of it.
      proxy.watch((_name, moment) => {
        if (moment === 'after') seen += 1;
        if (moment !== 'after' || seen !== calls) return 'pass';
        clearTimeout(done);
        resolve();
        return 'end';
      });
    });
    proxy.watch(() => 'pass');
  },
  async 'frozen supervisor'({ slots, leaseSeconds, random }) {
    const supervisors = supervisorsOf(liveOne(slots, random).daemon.pid);
    for (const pid of supervisors) signal(pid, 'SIGSTOP');
    await pause((leaseSeconds / 2 + random() * leaseSeconds) * 1000);
    for (const pid of supervisors) signal(pid, 'SIGCONT');
  },
  async 'slow disk'({ db }) {
    await db.query('update slow_disk set seconds = 0.4');
    await pause(6000);
    await db.query('update slow_disk set seconds = 0');
  },
  async 'restart of Postgres'({ postgres }) {
    await postgres.stopServer();
    await postgres.startServer();
  },
} satisfies Record<string, (means: TroubleMeans) => Promise<void>>;
export type Trouble = keyof typeof TROUBLES;

/** Kills are the most frequent, restarts of the server the rarest. */
const LOTS: readonly Trouble[] = [
  'SIGKILL of a daemon',
  'SIGKILL of a daemon',
  'SIGKILL of a daemon',
  'SIGTERM of a daemon, drained',
  'SIGSTOP past the lease, then SIGCONT',
  'cut network',
  'terminated backend',
  'terminated backend',
  'lost acknowledgement',
  'lost acknowledgement',
  'frozen supervisor',
  'slow disk',
  'restart of Postgres',
];

/** Pauses and slow commits, without the end of anything. */
const PAUSES: readonly Trouble[] = ['SIGSTOP past the lease, then SIGCONT', 'frozen supervisor', 'slow disk'];

export function drawTrouble(random: () => number, pausesOnly: boolean): Trouble {
  return one(pausesOnly ? PAUSES : LOTS, random);
}

/** The process supervisors that this daemon started. */
function supervisorsOf(daemonPid: number): number[] {
  const children = read(`/proc/${daemonPid}/task/${daemonPid}/children`).trim().split(' ');
  return children.filter((pid) => pid !== '' && read(`/proc/${pid}/cmdline`).includes('supervisor-main')).map(Number);
}

/** '' for a process that has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (!['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return '';
  }
}

/** It may have ended meanwhile, together with its daemon. */
function signal(pid: number, name: 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Not one that has ended by itself and is about to be started again. */
function liveOne(slots: readonly Slot[], random: () => number): Slot {
  const live = slots.filter(({ daemon }) => existsSync(`/proc/${daemon.pid}/task/${daemon.pid}/children`));
  return one(live.length > 0 ? live : slots, random);
}

function one<T>(of: readonly T[], random: () => number): T {
  return of[Math.floor(random() * of.length)]!;
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
