/** Reads a flood at a pace that leaves the daemon time for its other work. */
import { setTimeout as sleep, setImmediate as turnOfEventLoop } from 'node:timers/promises';

/** More than a server sends. */
const MESSAGES_PER_SECOND = 2000;
const BYTES_PER_SECOND = 32 * 2 ** 20;
/** Work after which others have their turn. Work that takes longer at once is followed by a pause of the same length. */
const SLICE_MS = 10;

/** What a message takes at least, in what is not measured. */
const LEAST_MS = 0.1;

/** Awaited after each message, with its size and the time that it took. */
export type Pace = (bytes: number, tookMs: number) => Promise<unknown> | undefined;

/** A server gets at most half of the thread's time. */
export function createPace(): Pace {
  let until = 0;
  let messages = 0;
  let total = 0;
  let busyMs = 0;
  return (bytes, tookMs) => {
    const now = performance.now();
    if (now >= until) [until, messages, total] = [now + 1000, 0, 0];
    messages += 1;
    total += bytes;
    busyMs += Math.max(tookMs, LEAST_MS);
    if (messages >= MESSAGES_PER_SECOND || total >= BYTES_PER_SECOND) return sleep(until - now, null, { ref: false });
    if (busyMs < SLICE_MS) return undefined;
    busyMs = 0;
    return tookMs < SLICE_MS ? turnOfEventLoop() : sleep(tookMs, null, { ref: false });
  };
}
