/** The warm pool: started containers whose runners wait, per image and limits. */
import { messageOf } from '../../core/errors/errors.ts';
import type { ProcessLog } from '../../process/host/supervised-host.ts';
import type { PooledSpec } from '../sandbox.ts';
import type { OpenRunner } from './open-runner.ts';

export interface Pool {
  /** A waiting runner, of which the engine says that it runs; null if there is none. Starts others in the background. */
  take(spec: PooledSpec): Promise<OpenRunner | null>;
  /** Starts runners in the background, up to the size. */
  warm(spec: PooledSpec): void;
  /** How many wait, including those that are being started. */
  size(): number;
  /** Destroys all, and resolves when they are gone. */
  close(): Promise<void>;
}

export interface RunnerSource {
  readonly size: number;
  readonly open: (spec: PooledSpec, signal: AbortSignal) => Promise<OpenRunner>;
  readonly log: ProcessLog;
  /** Runners of a kind that was not used for this long are destroyed; default 600,000. */
  readonly idleMs?: number;
}

/** Kinds of runners at a time; the one that was not used for the longest time makes room. */
const MAX_KINDS = 4;
/** The start of others should not slow down the execution for which one was taken. */
const REFILL_MS = 300;

interface Kind {
  readonly spec: PooledSpec;
  readonly waiting: Promise<OpenRunner | null>[];
  idle: NodeJS.Timeout | undefined;
  refill: NodeJS.Timeout | undefined;
}

/** Creates an empty pool. A failed start is logged, and tried again with the next execution. */
export function createPool({ size, open, log, idleMs = 600_000 }: RunnerSource): Pool {
  const kinds = new Map<string, Kind>();
  const closing = new AbortController();
  const ending = new Set<Promise<void>>();

  const kindOf = (spec: PooledSpec): Kind => {
    const key = JSON.stringify([spec.image, spec.memoryBytes, spec.cpus]);
    const kind = kinds.get(key) ?? { spec, waiting: [], idle: undefined, refill: undefined };
    // The map is in the order of use.
    kinds.delete(key);
    kinds.set(key, kind);
    clearTimeout(kind.idle);
    kind.idle = setTimeout(() => drop(key), idleMs).unref();
    for (const oldest of kinds.keys()) if (kinds.size > MAX_KINDS) drop(oldest);
    return kind;
  };

  const drop = (key: string): void => {
    const kind = kinds.get(key);
    if (!kind) return;
    kinds.delete(key);
    clearTimeout(kind.idle);
    clearTimeout(kind.refill);
    for (const runner of kind.waiting.splice(0)) discard(runner);
  };

  const discard = (runner: OpenRunner | Promise<OpenRunner | null>): void => {
    const end = Promise.resolve(runner)
      .then((each) => each?.held.destroy())
      .finally(() => ending.delete(end));
    ending.add(end);
  };

  const fill = (kind: Kind): void => {
    while (kind.waiting.length < size && !closing.signal.aborted) {
      const runner = open(kind.spec, closing.signal).catch((error: unknown) => {
        if (closing.signal.aborted) return null;
        log('warn', 'a container for later executions could not be started', { error: messageOf(error) });
        return null;
      });
      kind.waiting.push(runner);
      void runner.then((opened) => {
        if (opened === null) forget(kind, runner);
        // One that ends while it waits must not be counted.
        else void opened.held.exited.then(() => forget(kind, runner));
      });
    }
  };

  const forget = (kind: Kind, runner: Promise<OpenRunner | null>): void => {
    const at = kind.waiting.indexOf(runner);
    if (at >= 0) void kind.waiting.splice(at, 1);
  };

  return {
    async take(spec) {
      if (size === 0) return null;
      const kind = kindOf(spec);
      clearTimeout(kind.refill);
      kind.refill = setTimeout(() => fill(kind), REFILL_MS).unref();
      for (let first = kind.waiting.shift(); first; first = kind.waiting.shift()) {
        const runner = await first;
        if (!runner?.alive()) continue;
        // Once it has the code, nobody could say whether the code ran: in the seconds after its engine died it looks alive.
        if (await runner.held.lives()) return runner;
        discard(runner);
      }
      return null;
    },
    warm: (spec) => fill(kindOf(spec)),
    size: () => [...kinds.values()].reduce((sum, kind) => sum + kind.waiting.length, 0),
    async close() {
      closing.abort(new Error('the pool is closed'));
      for (const key of kinds.keys()) drop(key);
      await Promise.all(ending);
    },
  };
}
