/** Unauthenticated connections: any process of this host can open them, so they have their own limit. */
import type { Socket } from 'node:net';

/** Long enough for a client on a busy machine; a start-up takes milliseconds. */
const HANDSHAKE_MS = 10_000;

/**
 * Unauthenticated connections. Opening too many closes the oldest of those that have sent nothing, else the oldest, and never an authenticated one: so
 * silent connections do not push out a client during its handshake.
 */
export interface Strangers {
  /** Adds a new connection; closes an earlier one when there are too many. Removes it when it closes. */
  admit(socket: Socket): void;
  /** The connection has authenticated: it is no longer counted. */
  recognise(socket: Socket): void;
  /** Closes all of them. */
  dismiss(): void;
}

/** `most` at once; each has 10 s before it is closed. */
export function createStrangers(most: number): Strangers {
  /** A Map keeps the order in which they came. */
  const present = new Map<Socket, NodeJS.Timeout>();
  const forget = (socket: Socket): void => {
    clearTimeout(present.get(socket));
    present.delete(socket);
  };
  return {
    admit(socket) {
      present.set(
        socket,
        setTimeout(() => socket.destroy(), HANDSHAKE_MS),
      );
      socket.once('close', () => forget(socket));
      if (present.size <= most) return;
      // Not the new one, which has had no time to say anything.
      const earlier = [...present.keys()].slice(0, -1);
      const leaves = earlier.find(({ bytesRead }) => bytesRead === 0) ?? earlier[0]!;
      forget(leaves);
      leaves.destroy();
    },
    recognise: forget,
    dismiss() {
      for (const socket of present.keys()) socket.destroy();
    },
  };
}
