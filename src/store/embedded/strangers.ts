/** Connections whose password has not been proven yet: anybody on this host can make them, so they have room of their own. */
import type { Socket } from 'node:net';

/** Long enough for a client on a busy machine; a start-up takes milliseconds. */
const HANDSHAKE_MS = 10_000;

/** Connections that are not known yet. Whoever opens many drives out the oldest of them, and nobody who has the password. */
export interface Strangers {
  /** A new connection; the oldest one leaves where there are too many. It is forgotten when it closes. */
  admit(socket: Socket): void;
  /** The connection has proven its password: it counts no more. */
  recognise(socket: Socket): void;
  /** Sends all of them away. */
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
      const [oldest] = present.keys();
      forget(oldest!);
      oldest!.destroy();
    },
    recognise: forget,
    dismiss() {
      for (const socket of present.keys()) socket.destroy();
    },
  };
}
