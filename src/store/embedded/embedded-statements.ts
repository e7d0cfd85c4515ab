/**
 * Isolates clients that share one session. Prepared statement names get a prefix per client, because drivers choose the
 * same names (S_1, __asyncpg_1 …). Session settings of a client are reset when it disconnects.
 */
import { message, simpleQuery } from './wire.ts';

export interface ClientTraces {
  /** The message to run instead of the client's: statement names carry the client's prefix. */
  own(bytes: Buffer): Buffer;
  /** True once the client has sent LISTEN. */
  listens(): boolean;
  /** Units to run once the client has disconnected. */
  farewell(): Buffer[];
}

/** `prefix` must differ between connected clients, and its last character must not start any name. */
export function traceClient(prefix: string): ClientTraces {
  const prepared = new Set<string>();
  let changedSession = false;
  let listens = false;
  return {
    own(bytes) {
      const type = String.fromCharCode(bytes[0] as number);
      if (type === 'Q' || type === 'P') {
        const text = bytes.toString('latin1', 5);
        changedSession ||= SESSION_CHANGES.test(text);
        listens ||= LISTEN.test(text);
      }
      const place = statementName(type, bytes);
      if (!place || place.end === place.start) return bytes;
      const name = prefix + bytes.toString('utf8', place.start, place.end);
      if (type === 'P') prepared.add(name);
      if (type === 'C') prepared.delete(name);
      return message(type, bytes.subarray(5, place.start), name, bytes.subarray(place.end));
    },
    listens: () => listens,
    farewell() {
      const close = [...prepared].map((name) => message('C', `S${name}\0`));
      return [
        ...(close.length > 0 ? [Buffer.concat([...close, message('S')])] : []),
        ...(changedSession ? [simpleQuery(RESET)] : []),
      ];
    },
  };
}

/** Statements with an effect on the session; matched only at the start, so that `update … set` is not one. */
const SESSION_CHANGES =
  /(^|;|\0)\s*(set|reset|prepare|declare|create\s+(local\s+|global\s+)?temp)|set_config|pg_(try_)?advisory_lock/i;

const LISTEN = /(^|;|\0)\s*listen\s/i;

/** Like `discard all`, but without prepared statements and LISTEN, which may belong to other clients. */
const RESET = 'close all; set session authorization default; reset all; select pg_advisory_unlock_all(); discard temp';

/** The position of the prepared statement name in a message of the extended protocol. */
function statementName(type: string, bytes: Buffer): { start: number; end: number } | null {
  switch (type) {
    case 'P':
      return nameAt(bytes, 5);
    case 'B': {
      const portal = nameAt(bytes, 5);
      return portal && nameAt(bytes, portal.end + 1);
    }
    case 'D':
    case 'C':
      return bytes[5] === 'S'.charCodeAt(0) ? nameAt(bytes, 6) : null;
    default:
      return null;
  }
}

function nameAt(bytes: Buffer, start: number): { start: number; end: number } | null {
  const end = bytes.indexOf(0, start);
  return end < 0 ? null : { start, end };
}
