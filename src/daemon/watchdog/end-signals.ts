/** Sees the signals of the process from a thread. */
import { createRequire } from 'node:module';

interface SignalHandle {
  onsignal: () => void;
  start(signal: number): number;
  unref(): void;
}

const SIGINT = 2;
const SIGTERM = 15;

/**
 * Calls `onSignal` for each SIGINT and SIGTERM, beside the handlers of the main thread, which run when its loop does. Node delivers signals to
 * the main thread alone, although libuv hands them to every loop that asks; so this asks libuv, by Node's internal binding, which needs
 * `--expose-internals` for the thread. Returns false where a version of Node does not have it: then a signal waits for the loop.
 */
export function watchEndSignals(onSignal: () => void): boolean {
  // Node warns of the use of its internals. On this thread only, nobody hears it.
  process.removeAllListeners('warning');
  try {
    const { internalBinding } = createRequire(import.meta.url)('internal/test/binding') as {
      internalBinding(name: string): { readonly Signal: new () => SignalHandle };
    };
    const { Signal } = internalBinding('signal_wrap');
    const started = [SIGINT, SIGTERM].map((number) => {
      const handle = new Signal();
      handle.onsignal = onSignal;
      handle.unref();
      kept.push(handle);
      return handle.start(number) === 0;
    });
    return started.every(Boolean);
  } catch {
    return false;
  }
}

/** A handle that is collected would be closed. */
const kept: SignalHandle[] = [];
