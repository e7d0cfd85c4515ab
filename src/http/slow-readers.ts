/** Ends answers whose reader reads next to nothing: each one keeps a connection and what it was told in memory. */
import type { ServerResponse } from 'node:http';

/** How long a reader may take no piece of 64 KiB, which it does at about 1 KiB a second. */
const SLOWEST_MS = 60_000;

/** An answer of which nothing was taken between two looks, while there was something to take, is cut. */
export function endSlowReaders(slowestMs = SLOWEST_MS) {
  /** How many bytes had been taken when it was looked at last; null: it has nothing to take. */
  const watched = new Map<ServerResponse, number | null>();
  const timer = setInterval(() => {
    for (const [response, before] of watched) {
      const now = pendingAt(response);
      if (now !== null && now === before) response.destroy();
      else watched.set(response, now);
    }
  }, slowestMs);
  timer.unref();
  return {
    /** Watches an answer until it ends. */
    watch(response: ServerResponse): void {
      watched.set(response, null);
      response.once('close', () => watched.delete(response));
    },
    stop: () => clearInterval(timer),
  };
}

/** How many bytes the reader has taken, while others wait for it; null: none wait. */
function pendingAt(response: ServerResponse): number | null {
  const { socket } = response;
  if (socket === null || socket.writableLength === 0) return null;
  return socket.bytesWritten - socket.writableLength;
}
