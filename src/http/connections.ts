/** The connections of the server: bounded, so that the process keeps file descriptors for other things. */
import type { Socket } from 'node:net';
import { AnimusError } from '../core/errors/errors.ts';

export interface Connections {
  /** Takes a new connection; closes another one if there are too many. */
  add(socket: Socket): void;
  /** Its sender is known and waits for an answer: it is not closed to make room. Errors: `http.too_many`. */
  keep(socket: Socket, person: string): void;
  free(socket: Socket): void;
}

/** How much of all connections one person may use at once, so that there is room for others. */
const SHARE = 0.9;

/**
 * At most `most` are open. One more closes the oldest connection without a known sender, of the address that has most of them. Clients that send
 * their request at once are answered long before that, and slow strangers cannot shut out clients at other addresses. If all connections are in use,
 * the new one is closed; one person cannot use all.
 */
export function limitConnections(most: number): Connections {
  const strangers = new Set<Socket>();
  const kept = new Map<Socket, string>();
  const counts = new Map<string, number>();
  const share = Math.floor(most * SHARE);

  function release(socket: Socket): boolean {
    const person = kept.get(socket);
    if (person === undefined) return false;
    const left = counts.get(person)! - 1;
    if (left === 0) counts.delete(person);
    else counts.set(person, left);
    return kept.delete(socket);
  }

  return {
    add(socket) {
      strangers.add(socket);
      socket.once('close', () => {
        strangers.delete(socket);
        release(socket);
      });
      if (strangers.size + kept.size <= most) return;
      // The newest stands last, and is the only one if all others are kept.
      const superfluous = oldestOfMost(strangers);
      strangers.delete(superfluous);
      superfluous.destroy();
    },
    keep(socket, person) {
      if (!strangers.has(socket)) return;
      const count = counts.get(person) ?? 0;
      if (count >= share) {
        const detail = `${count} connections of yours are in use, and one person may use ${share} at once: close some`;
        throw new AnimusError('http.too_many', { detail, seconds: 1 });
      }
      strangers.delete(socket);
      kept.set(socket, person);
      counts.set(person, count + 1);
    },
    free(socket) {
      if (release(socket)) strangers.add(socket);
    },
  };
}

/** The oldest of the address that has most. */
function oldestOfMost(sockets: ReadonlySet<Socket>): Socket {
  const [first, ...others] = Map.groupBy(sockets, ({ remoteAddress }) => remoteAddress).values();
  const most = others.reduce((longest, each) => (each.length > longest.length ? each : longest), first!);
  return most[0]!;
}
