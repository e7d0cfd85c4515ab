/**
 * A standby: a process that has entered the place of a focus in advance and waits at its gate for a command. It has its own namespaces, cgroup and
 * streams, as if it had been started for that command, is used once, and ends with it.
 */
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync } from 'node:fs';
import type { ProcessLimits } from '../limits/limits.ts';
import type { RunCgroup } from '../limits/run-cgroup.ts';
import type { ProcessOwner } from '../process-host.ts';
import { WAITS } from '../runners/orders.ts';
import type { PlaceEntry } from '../runners/place.ts';
import type { StartLine } from '../runners/runner.ts';
import { killRun } from '../trace/kill-run.ts';
import { lastInLine, readProc, readProcess, startTicksOf } from '../trace/process-table.ts';
import { type RunTrace, SPAWN_MARKER } from '../trace/run-trace.ts';
import { gateOf } from './gate.ts';
import { type LateText, openLateText } from './open-input.ts';
import { spawnBehindGate } from './spawn-behind-gate.ts';

/** A command, by what it needs of a standby. */
export interface Purpose {
  readonly owner: ProcessOwner;
  readonly line: StartLine;
  readonly limits: ProcessLimits;
}

/** Its purpose is that of the command before it. */
export interface Standby extends Purpose {
  readonly child: ChildProcess;
  readonly cgroup: RunCgroup | null;
  readonly startedAt: number;
  /** Resolves when nothing of it is left or, if it was given a command, when its leader has ended; never rejects. */
  readonly gone: Promise<void>;
  /** False if it was given a command, has ended, or is being ended. */
  isWaiting(): boolean;
  /** False if its mounts have changed since it began to wait. */
  isWhole(): boolean;
  /**
   * Gives it the command, and the text of its standard input unless that is empty. From then on it belongs to the run. Throws what the file system throws,
   * and ends then.
   */
  give(orders: string, text: string | null): void;
  /** Ends it and resolves when it is gone. If it was given a command, does nothing. */
  end(): Promise<void>;
}

/** Starts one for commands like that of the line. Null if the host refuses: the next command meets the same trouble, and says so. */
export function startStandby(purpose: Purpose, addCgroup: () => RunCgroup | null): Standby | null {
  const { line } = purpose;
  const { waiting } = line;
  const place = waiting && line.place?.again();
  if (!place) return null;
  let text: LateText | null = null;
  let cgroup: RunCgroup | null = null;
  try {
    text = openLateText();
    cgroup = addCgroup();
    const spawnId = randomUUID();
    const environment = { ...line.env, [SPAWN_MARKER]: spawnId };
    const start = { cwd: '/', environment, cgroup, input: 'ignore', text: text.stdio } as const;
    const child = spawnBehindGate({ ...line, args: waiting.args, place }, start);
    if (child.pid !== undefined) return standbyOf(child, purpose, { place, cgroup, text, spawnId });
  } catch {
    place.entered();
  } finally {
    if (text) closeSync(text.stdio);
  }
  text?.close();
  cgroup?.remove();
  return null;
}

interface Parts extends Pick<Standby, 'cgroup'> {
  readonly place: PlaceEntry;
  readonly text: LateText;
  readonly spawnId: string;
}

function standbyOf(child: ChildProcess, purpose: Purpose, { place, cgroup, text, spawnId }: Parts): Standby {
  const gate = gateOf(child);
  const [pgid, startedAt] = [child.pid!, performance.now()];
  const trace: RunTrace = { pgid, spawnId, startTicks: startTicksOf(pgid), ...(cgroup && { cgroup: cgroup.path }) };
  /** Of the shell at the gate, which becomes the command. */
  const mountsNow = (): string | null => readProc(`/proc/${lastInLine(pgid)}/mountinfo`);
  /** As they were when it began to wait; undefined before. */
  let mounts: string | null | undefined;
  let given = false;
  let ending = false;
  gate.once('data', (chunk: Buffer) => {
    if (chunk.includes(WAITS)) mounts = mountsNow();
  });
  const gone = once(child, 'exit').then(async () => {
    place.closed.removeEventListener('abort', endNow);
    if (given) return;
    ending = true;
    text.close();
    // The kernel kills the rest of its namespace after the leader.
    await killRun(trace);
    for (const stream of child.stdio) stream?.destroy();
    cgroup?.remove();
  });
  const isAlive = (): boolean => child.exitCode === null && child.signalCode === null;
  const end = async (): Promise<void> => {
    if (given) return;
    ending = true;
    if (isAlive()) process.kill(-pgid, 'SIGKILL');
    await gone;
  };
  const endNow = (): void => void end();
  place.closed.addEventListener('abort', endNow, { once: true });

  return {
    ...purpose,
    child,
    cgroup,
    startedAt,
    gone,
    end,
    isWaiting: () => !given && !ending && isAlive() && readProcess(pgid)?.dead === false,
    isWhole: () => mounts === undefined || (mounts !== null && mountsNow() === mounts),
    give(orders, said) {
      try {
        if (said !== null) text.write(said);
      } catch (error) {
        void end();
        throw error;
      }
      given = true;
      text.close();
      place.closed.removeEventListener('abort', endNow);
      // After the line that says where the place is.
      const tell = (): void => void gate.write(orders);
      place.namespaces.then(tell, tell);
    },
  };
}
