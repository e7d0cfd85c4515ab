/**
 * The start-up phase of a client connection to the embedded database: what Postgres does before the first query, password check
 * included.
 */
import type { Socket } from 'node:net';
import { type ScramVerifier, scramExchange } from './scram.ts';
import {
  CANCEL_REQUEST,
  errorResponse,
  GSS_REQUEST,
  int32,
  MessageReader,
  message,
  PROTOCOL_3,
  SSL_REQUEST,
} from './wire.ts';

/** The only role and database of PGlite. */
export const EMBEDDED_USER = 'postgres';
export const EMBEDDED_DATABASE = 'postgres';

const MAX_HANDSHAKE_BYTES = 10_000;

/**
 * Runs the start-up of a new connection until its password is verified. Returns the bytes the client sent beyond that; null when the
 * connection was refused or ended, and is closed. Never rejects. Reads at most 10 kB from an unauthenticated client; `strangers.ts`
 * limits the time.
 */
export async function authenticate(socket: Socket, verifier: ScramVerifier): Promise<Buffer | null> {
  const incoming = readMessages(socket);
  try {
    const parameters = await startup(socket, incoming);
    if (!parameters) return null;
    if (!(await provePassword(socket, incoming, verifier))) {
      throw new Refusal('28P01', `password authentication failed for user "${parameters.get('user') ?? ''}"`);
    }
    refuseStrangers(parameters);
    return incoming.leave();
  } catch (error) {
    if (error instanceof Refusal) socket.end(errorResponse('FATAL', error.sqlState, error.message));
    else socket.destroy();
    return null;
  }
}

class Refusal extends Error {
  readonly sqlState: string;
  constructor(sqlState: string, text: string) {
    super(text);
    this.sqlState = sqlState;
  }
}

async function startup(socket: Socket, incoming: Incoming): Promise<Map<string, string> | null> {
  for (;;) {
    const first = await incoming.next(0);
    const code = first.length >= 8 ? first.readInt32BE(4) : 0;
    if (code === SSL_REQUEST || code === GSS_REQUEST) {
      socket.write('N');
    } else if (code === CANCEL_REQUEST) {
      // A cancel request: PGlite cannot interrupt a statement, and the protocol expects no answer.
      socket.end();
      return null;
    } else if (code >>> 16 === PROTOCOL_3 >>> 16) {
      return parseParameters(first.subarray(8));
    } else {
      throw new Refusal('0A000', 'unsupported frontend protocol: this server supports only 3.0');
    }
  }
}

function parseParameters(bytes: Buffer): Map<string, string> {
  const words = bytes.toString('utf8').split('\0');
  const parameters = new Map<string, string>();
  for (let i = 0; i + 1 < words.length && words[i] !== ''; i += 2)
    parameters.set(words[i] as string, words[i + 1] as string);
  return parameters;
}

async function provePassword(socket: Socket, incoming: Incoming, verifier: ScramVerifier): Promise<boolean> {
  const exchange = scramExchange(verifier);
  socket.write(message('R', int32(10), 'SCRAM-SHA-256\0\0'));
  const initial = await saslMessage(incoming);
  const mechanismEnd = initial.indexOf(0);
  if (initial.toString('latin1', 0, mechanismEnd) !== 'SCRAM-SHA-256')
    throw new Refusal('28000', 'only SCRAM-SHA-256 is supported');
  const serverFirst = exchange.first(initial.toString('utf8', mechanismEnd + 5));
  if (serverFirst === null) return false;
  socket.write(message('R', int32(11), serverFirst));
  const serverFinal = exchange.final((await saslMessage(incoming)).toString('utf8'));
  if (serverFinal === null) return false;
  socket.write(message('R', int32(12), serverFinal));
  return true;
}

async function saslMessage(incoming: Incoming): Promise<Buffer> {
  const received = await incoming.next(1);
  if (received[0] !== 'p'.charCodeAt(0)) throw new Refusal('08P01', 'expected a password message');
  return received.subarray(5);
}

function refuseStrangers(parameters: Map<string, string>): void {
  const user = parameters.get('user') ?? '';
  const database = parameters.get('database') ?? user;
  if (user !== EMBEDDED_USER)
    throw new Refusal('28000', `role "${user}" does not exist: the embedded database has only "${EMBEDDED_USER}"`);
  if (database !== EMBEDDED_DATABASE) {
    throw new Refusal(
      '3D000',
      `database "${database}" does not exist: the embedded server has only "${EMBEDDED_DATABASE}"`,
    );
  }
}

interface Incoming {
  /** The next message; rejects when the connection ends. */
  next(prefix: 0 | 1): Promise<Buffer>;
  /** Stops reading and returns what is left over. */
  leave(): Buffer;
}

function readMessages(socket: Socket): Incoming {
  let pending = Buffer.alloc(0);
  let wake: (() => void) | undefined;
  let ended = false;
  const onData = (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    if (pending.length > MAX_HANDSHAKE_BYTES) socket.destroy();
    wake?.();
  };
  const onEnd = () => {
    ended = true;
    wake?.();
  };
  socket.on('data', onData).on('close', onEnd).on('end', onEnd).on('error', onEnd);
  return {
    async next(prefix) {
      for (;;) {
        const reader = new MessageReader(prefix, MAX_HANDSHAKE_BYTES);
        reader.push(pending);
        const found = reader.next();
        if (found) {
          pending = Buffer.from(reader.rest());
          return found;
        }
        if (ended || socket.destroyed) throw new Error('the connection ended during its start-up');
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    leave() {
      socket.off('data', onData).off('close', onEnd).off('end', onEnd).off('error', onEnd);
      return pending;
    },
  };
}
