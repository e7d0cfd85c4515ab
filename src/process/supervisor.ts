/** The supervisor's rule book: which runs there are, whose they are, and when they have to end. */
import { killAllOf, type User } from './as-user.ts';
import type { ProcessOwner } from './process-host.ts';
import { clampTimer, NOT_STARTED, type SupervisedRun, startRun } from './supervised-run.ts';
import { type FromSupervisor, hostMs, type ToSupervisor } from './supervisor-protocol.ts';

/** Takes the daemon's messages, in order. */
export interface Supervisor {
  receive(message: Exclude<ToSupervisor, { type: 'stop' }>): void;
  /** Kills every run and resolves when all are gone and reported. */
  endAll(problem: string): Promise<void>;
}

interface OwnedRun extends SupervisedRun {
  readonly owner: ProcessOwner;
}

interface Deadline {
  timer: NodeJS.Timeout;
  passed: boolean;
}

/** A supervisor that reports through `send`. */
export function createSupervisor(send: (message: FromSupervisor) => void): Supervisor {
  const runs = new Map<number, OwnedRun>();
  const deadlines = new Map<ProcessOwner, Deadline>();
  /** Spare users die with their owner's processes: what has rid itself of every mark is theirs still. */
  const users = new Map<ProcessOwner, Map<number, User>>();

  const run = ({ id, spec, spawnId, graceMs }: Extract<ToSupervisor, { type: 'run' }>): void => {
    if (deadlines.get(spec.owner)?.passed) {
      const problem = 'refused: the deadline of its owner has passed';
      return send({ type: 'ended', id, result: { ...NOT_STARTED, problem } });
    }
    const started = { ...startRun(spec, spawnId, graceMs), owner: spec.owner };
    runs.set(id, started);
    if (started.trace?.pgid) {
      const { pgid, startTicks, user } = started.trace;
      if (user) usersOf(spec.owner).set(user.uid, user);
      send({ type: 'started', id, pgid, startTicks, ...(user && { user }) });
    }
    void report(id, started);
  };

  const report = async (id: number, run: OwnedRun): Promise<void> => {
    const result = await run.ended;
    runs.delete(id);
    send({ type: 'ended', id, result });
  };

  const endRuns = async (which: (run: OwnedRun) => boolean, problem: string): Promise<void> => {
    const ending = [...runs.values()].filter(which);
    for (const run of ending) run.end('now', 'aborted', problem);
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

  const setDeadline = (owner: ProcessOwner, atMs: number): void => {
    clearTimeout(deadlines.get(owner)?.timer);
    const pass = (): void => {
      deadline.passed = true;
      void endRuns((run) => run.owner === owner, 'killed: the deadline of its owner passed without renewal').then(() =>
        killUsers(owner),
      );
    };
    const deadline: Deadline = { timer: setTimeout(pass, clampTimer(atMs - hostMs())), passed: false };
    deadlines.set(owner, deadline);
  };

  const killAll = async (id: number, owner: ProcessOwner): Promise<void> => {
    clearTimeout(deadlines.get(owner)?.timer);
    deadlines.delete(owner);
    await endRuns((run) => run.owner === owner, 'killed with everything else of its owner');
    killUsers(owner);
    send({ type: 'killed', id });
  };

  return {
    receive(message) {
      switch (message.type) {
        case 'run':
          return run(message);
        case 'abort':
          return runs.get(message.id)?.end('gently', 'aborted');
        case 'deadline':
          return setDeadline(message.owner, message.atMs);
        case 'kill_all':
          return void killAll(message.id, message.owner);
        default:
          throw new Error(`unknown message ${JSON.stringify(message satisfies never)}`);
      }
    },
    async endAll(problem) {
      await endRuns(() => true, problem);
      for (const owner of users.keys()) killUsers(owner);
    },
  };
}
