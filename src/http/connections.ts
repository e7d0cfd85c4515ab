/** The connections of the server: bounded, so that the process keeps file descriptors for other things. */
import type { Socket } from 'node:net';

export interface Connections {
  /** Takes a new connection; closes another one if there are too many. */
  add(socket: Socket): void;
  /** Its sender is known and waits for an answer: it is not closed to make room. */
  keep(socket: Socket): void;
  free(socket: Socket): void;
}

/**
 * At most `most` are open. One more closes one that nobody known uses: of the address that has most of them, the oldest. So who asks at once
 * is answered long before, and slow strangers cannot shut out others, at least from other addresses. If all are in use, the new one is closed.
 */
export function limitConnections(most: number): Connections {
  const strangers = new Set<Socket>();
  const kept = new Set<Socket>();
  return {
    add(socket) {
      strangers.add(socket);
      socket.once('close', () => {
        strangers.delete(socket);
        kept.delete(socket);
      });
      if (strangers.size + kept.size <= most) return;
      // The newest stands last, and is the only one if all others are kept.
      const superfluous = oldestOfMost(strangers);
      strangers.delete(superfluous);
      superfluous.destroy();
    },
    keep(socket) {
      if (strangers.delete(socket)) kept.add(socket);
    },
    free(socket) {
      if (kept.delete(socket)) strangers.add(socket);
    },
  };
}

/** The oldest of the address that has most. */
function oldestOfMost(sockets: ReadonlySet<Socket>): Socket {
  const [first, ...others] = Map.groupBy(sockets, ({ remoteAddress }) => remoteAddress).values();
  const most = others.reduce((longest, each) => (each.length > longest.length ? each : longest), first!);
  return most[0]!;
}
