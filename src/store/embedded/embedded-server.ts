/** PGlite behind a loopback port that asks for a password: what psql, the CLI and the daemon's own pool connect to. */
import { existsSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { pgmq } from '@electric-sql/pglite-pgmq';
import { vector } from '@electric-sql/pglite-pgvector';
import { authenticate, EMBEDDED_DATABASE, EMBEDDED_USER } from './embedded-handshake.ts';
import { type SessionClient, type SharedSession, shareSession } from './embedded-session.ts';
import { traceClient } from './embedded-statements.ts';
import { MAKE_OWN, syncDirectory, unpackPrepared } from './prepared-database.ts';
import { type ScramVerifier, scramVerifier } from './scram.ts';
import { createStrangers } from './strangers.ts';
import { errorResponse, MessageReader, message, startupMessage } from './wire.ts';

export interface EmbeddedServerOptions {
  readonly directory: string;
  /** 0 for any free one. */
  readonly port: number;
  readonly password: string;
  /** URL of the file that a new directory is unpacked from; null: it gets no schema. */
  readonly prepared: string | null;
  /** A client whose open transaction is idle this long is disconnected. */
  readonly maxIdleMs: number;
  /** The most authenticated clients; unauthenticated ones have their own limit. */
  readonly maxConnections: number;
  /** How long closing waits for clients to disconnect, before it disconnects them. */
  readonly lingerMs: number;
  readonly onCrash: (error: unknown) => void;
}

export interface EmbeddedServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Opens the directory (creates it if it is new) and listens on 127.0.0.1. Resolves when it accepts connections. */
export async function startEmbeddedServer(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const db = await openCluster(options);
  const greeting = await greet(db);
  const session = shareSession(db, options.maxIdleMs, options.onCrash);
  const verifier = scramVerifier(options.password);
  const sockets = new Set<Socket>();
  const strangers = createStrangers(MAX_STRANGERS);
  let known = 0;
  /** True when there is room for one more authenticated client. */
  const enter = (socket: Socket): boolean => {
    strangers.recognise(socket);
    if (known >= options.maxConnections) return false;
    known += 1;
    socket.once('close', () => (known -= 1));
    return true;
  };
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
    strangers.admit(socket);
    void serve(socket, session, verifier, greeting, enter);
  });
  try {
    await listen(server, options.port);
  } catch (error) {
    await db.close();
    throw error;
  }
  return {
    port: (server.address() as { port: number }).port,
    async close() {
      // Resolves when no client is connected any more.
      const closed = new Promise((resolve) => server.close(resolve));
      strangers.dismiss();
      const cutOff = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, options.lingerMs);
      await closed;
      clearTimeout(cutOff);
      await db.close();
    },
  };
}

/**
 * A new directory gets the prepared database, or else the prebuilt cluster of PGlite: it does not run initdb, which takes three times the
 * processor time (4.5 s instead of 1.4) and makes the same.
 */
async function openCluster({ directory, prepared }: EmbeddedServerOptions): Promise<PGlite> {
  const isNew = !existsSync(join(directory, 'PG_VERSION'));
  const unpacked = isNew && prepared !== null && (await unpackPrepared(directory, new URL(prepared)));
  const db = await PGlite.create(directory, {
    extensions: { vector, pgmq },
    username: EMBEDDED_USER,
    database: EMBEDDED_DATABASE,
    startParams: [...PGlite.defaultStartParams, '-c', `shared_buffers=${SHARED_BUFFERS}`],
    ...(isNew && !unpacked && { loadDataDir: await shippedCluster() }),
  });
  if (unpacked) {
    await db.exec(MAKE_OWN);
    // PGlite itself never waits for the disk. A machine that loses power now must not leave a directory that looks whole, or one without its own secrets.
    await syncDirectory(directory);
  }
  return db;
}

/**
 * PGlite's default is 128 MB, with which the memory of WebAssembly grows from 128 to 189 MB before the first statement; with 32 it stays at 128.
 * Pages that do not fit are read again from the file system, whose cache has them.
 */
const SHARED_BUFFERS = '32MB';

async function shippedCluster(): Promise<Blob> {
  return (await import('@electric-sql/pglite-prepopulatedfs')).dataDir();
}

/**
 * PGlite's response to a start-up message: parameters, key data, ReadyForQuery. The same bytes are sent to every
 * client.
 */
async function greet(db: PGlite): Promise<Buffer> {
  const parts: Buffer[] = [];
  const hello = startupMessage({ user: EMBEDDED_USER, database: EMBEDDED_DATABASE });
  await db.execProtocolRawStream(hello, { onRawData: (data) => void parts.push(Buffer.from(data)) });
  return Buffer.concat(parts);
}

async function listen(server: Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port }, () => {
      server.off('error', reject);
      // A connection that cannot be accepted (no file descriptor is left) fails for its client and must not end the thread.
      server.on('error', () => {});
      resolve();
    });
  });
}

/** The most unauthenticated connections; one more closes an earlier one. */
const MAX_STRANGERS = 100;
const MAX_MESSAGE_BYTES = 256 * 1024 * 1024;
/** Types that end a unit: simple query, Sync, Flush, function call, and the ends of copied-in data. */
const ENDS = new Set(['Q', 'S', 'F', 'c', 'f']);
const COPY_IN = /(^|;)\s*copy\s[^;]*\sfrom\s+stdin\b/i;

let clients = 0;

async function serve(
  socket: Socket,
  session: SharedSession,
  verifier: ScramVerifier,
  greeting: Buffer,
  enter: (socket: Socket) => boolean,
): Promise<void> {
  const early = await authenticate(socket, verifier);
  if (!early || socket.destroyed) return;
  if (!enter(socket)) {
    socket.end(errorResponse('FATAL', '53300', 'too many connections to the embedded database'));
    return;
  }
  socket.write(greeting);

  const client: SessionClient = {
    send: (bytes) => void (bytes.length > 0 && socket.write(bytes)),
    listens: () => traces.listens(),
    evict: () => {
      session.leave(client, traces.farewell());
      socket.end(errorResponse('FATAL', '25P03', 'terminating connection due to idle-in-transaction timeout'));
      socket.destroySoon();
    },
  };
  const traces = traceClient(`c${++clients}:`);
  const reader = new MessageReader(1, MAX_MESSAGE_BYTES);
  let unit: Buffer[] = [];

  const onData = async (chunk: Buffer): Promise<void> => {
    reader.push(chunk);
    for (let next = reader.next(); next; next = reader.next()) {
      let type = String.fromCharCode(next[0] as number);
      if (type === 'X') return void socket.end();
      if (type === 'Q' && COPY_IN.test(next.toString('utf8', 5))) {
        // PGlite ends its process when it has to wait for copied-in data.
        client.send(
          errorResponse('ERROR', '0A000', 'copy from stdin is not possible in the embedded database; use insert'),
        );
        next = message('S');
        type = 'S';
        unit.push(next);
      } else {
        unit.push(traces.own(next));
      }
      if (type !== 'H' && !ENDS.has(type)) continue;
      const bytes = Buffer.concat(unit);
      unit = [];
      // Pause reading while statements wait, so that a client that only sends cannot fill the memory.
      socket.pause();
      await session.run(client, bytes, type !== 'H');
      socket.resume();
    }
  };

  let work = Promise.resolve();
  const enqueue = (chunk: Buffer): void => {
    work = work.then(() => onData(chunk)).catch(() => void socket.destroy());
  };
  socket.on('close', () => session.leave(client, traces.farewell()));
  socket.on('data', enqueue);
  if (early.length > 0) enqueue(early);
}
