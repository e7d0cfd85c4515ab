/** A Postgres server that terminates connections at a chosen moment, with the message of `pg_terminate_backend`. */
import { createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { errorResponse, int32, message } from '../../src/store/embedded/wire.ts';

/** `ready`: in the packet that makes the connection ready; `answer`: together with the answer to the n-th query. */
export type FatalMoment = { readonly at: 'ready' } | { readonly at: 'answer'; readonly query: number } | null;

export interface FatalServer {
  readonly url: string;
  /** Number of connections so far. */
  readonly connections: number;
  /** What happens to the next connections, in order; after that, none is terminated. */
  endNext(...moments: FatalMoment[]): void;
}

const READY = message('Z', 'I');
const FATAL = errorResponse('FATAL', '57P01', 'terminating connection due to administrator command');
/** Long enough for everything that is scheduled to run before the socket ends: an error and an end are two events. */
const END_AFTER_MS = 5;

/** Answers every query with no rows. It is stopped after the test. */
export async function startFatalServer(): Promise<FatalServer> {
  const sockets = new Set<Socket>();
  const moments: FatalMoment[] = [];
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    serve(socket, moments.shift() ?? null);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as { port: number };
  return {
    url: `postgres://test@127.0.0.1:${port}/test?sslmode=disable`,
    get connections() {
      return connections;
    },
    endNext: (...next) => void moments.push(...next),
  };
}

function serve(socket: Socket, moment: FatalMoment): void {
  let started = false;
  let queries = 0;
  const say = (bytes: Buffer, fatal: boolean): void => {
    // In one packet, so that the client reads both at once.
    socket.write(fatal ? Buffer.concat([bytes, FATAL]) : bytes);
    if (fatal) setTimeout(() => socket.end(), END_AFTER_MS);
  };
  socket.on('data', (chunk) => {
    if (!started) {
      started = true;
      say(Buffer.concat([message('R', int32(0)), message('K', int32(1), int32(1)), READY]), moment?.at === 'ready');
      return;
    }
    // A node-postgres client sends one query at a time: simple ones begin with Q, extended ones end with Sync.
    if (chunk[0] === 'X'.charCodeAt(0)) return void socket.end();
    queries++;
    say(Buffer.concat([message('C', 'SELECT 0\0'), READY]), moment?.at === 'answer' && moment.query === queries);
  });
}
