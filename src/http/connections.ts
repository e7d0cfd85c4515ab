/** The connections of the server: bounded, so that the process keeps file descriptors for other things. */
import type { Socket } from 'node:net';
import { AnimusError } from '../core/errors/errors.ts';
import type { ConnectionUse } from '../core/lifecycle/health.ts';

export interface Connections {
  /** Takes a new connection; closes another one if there are too many. */
  add(socket: Socket): void;
  /** Its sender is known and waits for an answer: it is not closed to make room. Errors: `http.too_many`, `http.too_many_streams`. */
  keep(socket: Socket, person: string, use: ConnectionUse): void;
  free(socket: Socket): void;
}

/**
 * How much of all connections one person may use at once, so that there is room for others. Streams stay open: those of one person leave room for its
 * requests, and those of all people for the requests of all.
 */
const SHARES = { person: 0.9, streamsOfPerson: 0.8, streams: 0.9 } as const;
/** When a stream without room may be tried again. */
const STREAM_AGAIN_SECONDS = 5;

/**
 * At most `most` are open. One more closes the oldest connection without a known sender, of the address that has most of them. Clients that send
 * their request at once are answered long before that, and slow strangers cannot shut out clients at other addresses. If all connections are in use,
 * the new one is closed; one person cannot use all, and streams have a share of their own.
 */
export function limitConnections(most: number): Connections {
  const strangers = new Set<Socket>();
  const kept = new Map<Socket, Kept>();
  const counts = new Map<string, number>();
  const shareOf = (part: keyof typeof SHARES) => Math.floor(most * SHARES[part]);

  /** Throws for one that is too many. */
  function check(one: Kept): void {
    for (const { name, part } of countedAs(one)) {
      const count = counts.get(name) ?? 0;
      if (count >= shareOf(part)) throw tooMany(part, count);
    }
  }

  function count(one: Kept, by: 1 | -1): void {
    for (const { name } of countedAs(one)) {
      const now = (counts.get(name) ?? 0) + by;
      if (now === 0) counts.delete(name);
      else counts.set(name, now);
    }
  }

  function release(socket: Socket): boolean {
    const one = kept.get(socket);
    if (one !== undefined) count(one, -1);
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
    keep(socket, person, use) {
      if (!strangers.has(socket)) return;
      const one = { person, use };
      check(one);
      strangers.delete(socket);
      kept.set(socket, one);
      count(one, 1);
    },
    free(socket) {
      if (release(socket)) strangers.add(socket);
    },
  };
}

/** Whose connection it is, and for what. */
interface Kept {
  readonly person: string;
  readonly use: ConnectionUse;
}

/** What a connection counts as, and the share of which it takes a part. */
function countedAs({ person, use }: Kept): readonly { readonly name: string; readonly part: keyof typeof SHARES }[] {
  const all = { name: `of ${person}`, part: 'person' } as const;
  if (use === 'answer') return [all];
  return [{ name: 'streams', part: 'streams' }, { name: `streams of ${person}`, part: 'streamsOfPerson' }, all];
}

function tooMany(part: keyof typeof SHARES, count: number): AnimusError {
  switch (part) {
    case 'person': {
      const detail = `you have ${count} connections in use, the most that one person may have; close some`;
      return new AnimusError('http.too_many', { detail, seconds: 1 });
    }
    case 'streamsOfPerson': {
      const detail = `you have ${count} streams open, the most that one person may have; close some`;
      return new AnimusError('http.too_many_streams', { detail, seconds: STREAM_AGAIN_SECONDS });
    }
    case 'streams': {
      const detail = `this server has ${count} streams open, the most that it allows`;
      return new AnimusError('http.too_many_streams', { detail, seconds: STREAM_AGAIN_SECONDS });
    }
    default:
      return part satisfies never;
  }
}

/** The oldest of the address that has most. */
function oldestOfMost(sockets: ReadonlySet<Socket>): Socket {
  const [first, ...others] = Map.groupBy(sockets, ({ remoteAddress }) => remoteAddress).values();
  const most = others.reduce((longest, each) => (each.length > longest.length ? each : longest), first!);
  return most[0]!;
}
