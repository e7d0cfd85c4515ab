/** The logic of the supervisor: runs, their owners and their deadlines. */

import { createLimitWatch, type WatchedRun } from '../limits/limit-watch.ts';
import { DEFAULT_LIMITS, type ProcessLimits } from '../limits/limits.ts';
import type { OwnerCgroups } from '../limits/owner-cgroups.ts';
import type { ProcessOwner } from '../process-host.ts';
import { killAllOf } from '../runners/as-user.ts';
import type { User } from '../runners/user.ts';
import { createDeadline, type Deadline } from './deadline.ts';
import { ioOf, type RunIo, writeInput } from './run-io.ts';
import { createStandbys, type Standbys } from './standbys.ts';
import { NOT_STARTED, type SupervisedRun, startRun } from './supervised-run.ts';
import type { FromSupervisor, HostMoment, ToSupervisor } from './supervisor-protocol.ts';

/** Handles the daemon's messages in order. */
export interface Supervisor {
  receive(message: Exclude<ToSupervisor, { type: 'stop' }>): void;
  /** Kills every run and resolves when all are gone and reported. */
  endAll(problem: string): Promise<void>;
}

type StartMessage = Extract<ToSupervisor, { type: 'run' | 'launch' }>;

interface OwnedRun extends SupervisedRun {
  readonly owner: ProcessOwner;
  readonly io: RunIo;
}

/** Creates a supervisor that reports through `send` and puts runs into cgroups if it has any. */
export function createSupervisor(send: (message: FromSupervisor) => void, cgroups: OwnerCgroups): Supervisor {
  const runs = new Map<number, OwnedRun>();
  const deadlines = new Map<ProcessOwner, Deadline>();
  /** All processes of a spare user are killed with its owner's: they belong to the owner even without any other mark. */
  const users = new Map<ProcessOwner, Map<number, User>>();

  const limits = new Map<ProcessOwner, ProcessLimits>();
  const limitsOf = (owner: ProcessOwner): ProcessLimits => limits.get(owner) ?? DEFAULT_LIMITS;
  const watch = createLimitWatch(limitsOf);
  const standbys = createStandbys((owner, name, tasks) => cgroups.addRun(owner, name, limitsWith(owner, tasks)));
  /** What the kernel enforces: it counts the processes that wait for a command, too. */
  const limitsWith = (owner: ProcessOwner, waitingTasks = standbys.waitingTasks(owner)): ProcessLimits => {
    const own = limitsOf(owner);
    return { ...own, processes: own.processes + waitingTasks };
  };

  const start = (message: StartMessage): void => {
    const { id, spec } = message;
    // Its timer may be late, where this process was frozen. Renewals that were sent before this message have been handled.
    if (deadlines.get(spec.owner)?.hasPassed()) {
      const problem = 'refused: the deadline of its owner has passed';
      return send({ type: 'ended', id, result: { ...NOT_STARTED, ended: 'unavailable', problem } });
    }
    begin(message, standbys);
  };

  const begin = (message: StartMessage, from: Standbys): void => {
    const { id, spec, spawnId, graceMs } = message;
    const { owner } = spec;
    const addCgroup = () => cgroups.addRun(owner, String(id), limitsWith(owner));
    const limit = () => cgroups.limit(owner, limitsWith(owner));
    const io = ioOf(message, send);
    const setup = { spawnId, graceMs, addCgroup, limit, standbys: from, limits: limitsOf(owner), ...io };
    const started = { ...startRun(spec, setup), owner, io };
    runs.set(id, started);
    const { trace, cgroup } = started;
    if (trace?.pgid) {
      const { pgid, startTicks, user } = trace;
      if (user) usersOf(owner).set(user.uid, user);
      send({ type: 'started', id, pgid, startTicks, ...(user && { user }), ...(cgroup && { cgroup: cgroup.path }) });
    }
    const stop = (problem: string) => started.end('now', 'limit', problem);
    void report(message, started, trace && { owner, trace, cgroup, stop });
  };

  const report = async (message: StartMessage, run: OwnedRun, watched: WatchedRun | null): Promise<void> => {
    const { id } = message;
    if (watched) watch.add(watched);
    const result = await run.ended;
    if (watched) watch.remove(watched);
    watched?.cgroup?.remove();
    if (result === null) return begin(message, { ...standbys, take: () => null });
    runs.delete(id);
    send({ type: 'ended', id, result });
  };

  const endRuns = async (
    which: (run: OwnedRun) => boolean,
    cause: 'aborted' | 'interrupted',
    problem: string,
  ): Promise<void> => {
    const ending = [...runs.values()].filter(which);
    for (const run of ending) run.end('now', cause, problem);
    await Promise.all(ending.map((run) => run.ended));
  };

  const usersOf = (owner: ProcessOwner): Map<number, User> => {
    const own = users.get(owner) ?? new Map<number, User>();
    users.set(owner, own);
    return own;
  };

  const killUsers = (owner: ProcessOwner): void => {
    for (const user of users.get(owner)?.values() ?? []) killAllOf(user);
    users.delete(owner);
  };

  const setDeadline = (owner: ProcessOwner, at: HostMoment): void => {
    deadlines.get(owner)?.clear();
    const pass = (): void => {
      const problem = 'killed: the deadline of its owner passed without renewal';
      void endRuns((run) => run.owner === owner, 'interrupted', problem).then(() => {
        killUsers(owner);
        return standbys.end(owner);
      });
    };
    deadlines.set(owner, createDeadline(at, pass));
  };

  const killAll = async (id: number, owner: ProcessOwner): Promise<void> => {
    deadlines.get(owner)?.clear();
    deadlines.delete(owner);
    await endRuns((run) => run.owner === owner, 'aborted', 'killed with everything else of its owner');
    killUsers(owner);
    await standbys.end(owner);
    // Something may have been started meanwhile.
    if (![...runs.values()].some((run) => run.owner === owner)) {
      limits.delete(owner);
      cgroups.remove(owner);
    }
    send({ type: 'killed', id });
  };

  return {
    receive(message) {
      switch (message.type) {
        case 'run':
        case 'launch':
          return start(message);
        case 'input':
          return writeInput(message, runs.get(message.id)?.stdin ?? null, send);
        case 'taken':
          return runs.get(message.id)?.io.taken(message.stream, message.bytes);
        case 'abort':
          return runs.get(message.id)?.end('gently', 'aborted');
        case 'deadline':
          return setDeadline(message.owner, message.at);
        case 'limits':
          return void limits.set(message.owner, message.limits);
        case 'kill_all':
          return void killAll(message.id, message.owner);
        default:
          throw new Error(`unknown message ${JSON.stringify(message satisfies never)}`);
      }
    },
    async endAll(problem) {
      await endRuns(() => true, 'interrupted', problem);
      for (const owner of users.keys()) killUsers(owner);
      await standbys.endAll();
      cgroups.close();
    },
  };
}
