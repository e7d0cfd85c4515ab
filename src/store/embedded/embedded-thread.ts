/** The thread that runs PGlite, seen from outside: started, restarted when it crashes, stopped. */
import { Worker } from 'node:worker_threads';
import { messageOf } from '../../core/errors/errors.ts';
import { systemClock } from '../../core/lifecycle/clock.ts';
import type { Log } from '../../telemetry/log.ts';
import type { EmbeddedWorkerData, EmbeddedWorkerMessage } from './embedded-worker.ts';

export interface EmbeddedThread {
  readonly port: number;
  stop(): Promise<void>;
}

/**
 * Starts the thread and resolves when it listens. If it ends by itself later (PGlite aborts on some inputs), it is started
 * again on the same port: the data directory recovers as after any crash, and clients reconnect.
 */
export async function startEmbeddedThread(data: EmbeddedWorkerData, log: Log): Promise<EmbeddedThread> {
  const stopped = new AbortController();
  let current = await launch(data);
  const { port } = current;
  const keepAlive = async (): Promise<void> => {
    for (;;) {
      const reason = await current.ended;
      if (stopped.signal.aborted) return;
      log.error({ reason, directory: data.directory }, 'the embedded database crashed; restarting it');
      await relaunch();
    }
  };
  /** A full disk may need a person: retry until it works or we are stopped. */
  const relaunch = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      try {
        current = await launch({ ...data, port });
        if (stopped.signal.aborted) await current.stop();
        return;
      } catch (error) {
        const fields = { error: messageOf(error), directory: data.directory };
        log.error(fields, 'the embedded database cannot be restarted; trying again in 5 s');
        await systemClock.sleep(RELAUNCH_MS, stopped.signal);
      }
    }
  };
  const kept = keepAlive();
  return {
    port,
    async stop() {
      stopped.abort();
      await current.stop();
      // A restart may have been running.
      await kept;
    },
  };
}

const RELAUNCH_MS = 5_000;
const STOP_MS = 10_000;

interface Launched {
  readonly port: number;
  /** Resolves with the reason when the thread has ended. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

/** A thread that could not open the directory or the port. */
export class EmbeddedStartError extends Error {
  /** The system's code such as EADDRINUSE or ENOSPC, where there is one. */
  readonly code: string | null;
  constructor(detail: string, code: string | null) {
    super(detail);
    this.code = code;
  }
}

async function launch(data: EmbeddedWorkerData): Promise<Launched> {
  // Node runs the sources directly; a published package contains the same file as JavaScript.
  const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
  const worker = new Worker(new URL(`./embedded-worker${extension}`, import.meta.url), {
    workerData: data,
    stdout: true,
    stderr: true,
  });
  // PGlite prints Postgres's own log there; unread, it would accumulate in memory.
  worker.stdout.resume();
  worker.stderr.resume();
  let failure = '';
  worker.on('error', (error) => (failure = error.message));
  const ended = new Promise<string>((resolve) => worker.once('exit', (code) => resolve(failure || `exit ${code}`)));
  const port = await new Promise<number>((resolve, reject) => {
    worker.once('message', (said: EmbeddedWorkerMessage) => {
      if (said.type === 'ready') resolve(said.port);
      else reject(new EmbeddedStartError(said.detail, said.code));
    });
    void ended.then((reason) => reject(new EmbeddedStartError(reason, null)));
  });
  return {
    port,
    ended,
    async stop() {
      // The rule is about browser windows.
      // oxlint-disable-next-line unicorn/require-post-message-target-origin
      worker.postMessage('close');
      // A thread that hangs in a statement does not receive messages. Terminating it is a crash, which the data directory
      // survives.
      const timer = setTimeout(() => void worker.terminate(), STOP_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}
