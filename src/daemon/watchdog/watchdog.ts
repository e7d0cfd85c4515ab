/** The daemon's side of the watchdog: a thread that watches the event loop, and acts where the loop cannot. */
import { Worker } from 'node:worker_threads';
import { messageOf } from '../../core/errors/errors.ts';
import type { Service } from '../../core/lifecycle/service.ts';
import { reportBlock } from '../../store/work/daemons.ts';
import { record } from '../../telemetry/metrics.ts';
import type { ServiceBase } from '../parts/service-base.ts';
import { BEAT_MS, type WatchdogData, type WatchdogMessage } from './watchdog-data.ts';

interface WatchedDaemon extends ServiceBase {
  readonly daemonId: string;
  readonly leaseSeconds: number;
  readonly logLevel: string;
}

/** The thread is started this long after the daemon is ready: the first work does not wait for it. */
const DELAY_MS = 500;
/** Enough for a connection to the database. */
const LIMITS = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4, stackSizeMb: 1 };

/**
 * Watches the event loop from `start` to `stop`. When it has been blocked for a second, that is logged, with the stack of what it runs. Before the
 * leases end, everything is given up (`animus.give_up_daemon`). The thread gives everything up and ends the process when the loop does not handle a
 * SIGTERM or SIGINT, or has been blocked for a whole lease. A frozen process is not a blocked loop: the thread is frozen, too.
 */
export function createWatchdog(daemon: WatchedDaemon): Service {
  const { db, log, daemonId, clock } = daemon;
  const beats = new Int32Array(new SharedArrayBuffer(4));
  const stopping = new AbortController();
  let beating: NodeJS.Timeout | null = null;
  let starting: Promise<void> | null = null;
  let thread: Worker | null = null;

  async function launch(): Promise<void> {
    await clock.sleep(DELAY_MS, stopping.signal);
    if (stopping.signal.aborted) return;
    beating = setInterval(() => void Atomics.add(beats, 0, 1), BEAT_MS);
    beating.unref();
    const data: WatchdogData = {
      beats: beats.buffer,
      daemonId,
      connectionString: db.connectionString,
      leaseMs: daemon.leaseSeconds * 1000,
      logLevel: daemon.logLevel,
      // The thread has no terminal of its own to look at.
      pretty: process.env['LOG_FORMAT'] ? process.env['LOG_FORMAT'] === 'pretty' : process.stderr.isTTY,
      // Where nobody handles a signal, it ends the process by itself, and must go on to do so.
      signals: process.listenerCount('SIGTERM') > 0 && process.listenerCount('SIGINT') > 0,
    };
    const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
    thread = new Worker(new URL(`./watchdog-thread${extension}`, import.meta.url), {
      workerData: data,
      resourceLimits: LIMITS,
      // See end-signals.ts; for this thread only.
      execArgv: ['--expose-internals'],
    });
    thread.unref();
    thread.on('error', (error) => log.error({ error: messageOf(error) }, 'the watchdog of the event loop has failed'));
    thread.on('message', (message: WatchdogMessage) => void receive(message));
  }

  async function receive(message: WatchdogMessage): Promise<void> {
    if (message.type === 'watching') {
      log.debug({ signals: message.signals }, 'a thread watches the event loop');
      return;
    }
    const { seconds, stack } = message;
    record('daemon.loop.blocked', seconds, {});
    log.warn({ seconds, stack }, 'the event loop was blocked');
    await reportBlock(db, daemonId, { seconds, over: true }).catch((error: unknown) => {
      log.debug({ error: messageOf(error) }, 'could not record that the event loop was blocked');
    });
  }

  return {
    async start() {
      starting = launch();
    },
    async stop() {
      stopping.abort();
      await starting;
      if (beating !== null) clearInterval(beating);
      await thread?.terminate();
    },
  };
}
