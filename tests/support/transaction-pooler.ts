/** A pooler in transaction mode, like pgbouncer before 1.21: it has few server connections, and a client gets one until ReadyForQuery says "idle". */
import { createServer, type Socket } from 'node:net';
import { Client } from 'pg';
import { onTestFinished } from 'vitest';

export interface TransactionPooler {
  /** The connection string of the pooler, which requires no password. */
  readonly url: string;
}

interface Backend {
  readonly socket: Socket;
  borrower: Borrower | null;
}

interface Borrower {
  readonly socket: Socket;
  readonly waiting: Buffer[];
  backend: Backend | null;
  /** Sync and Query messages that ReadyForQuery has not answered yet. */
  unanswered: number;
}

const READY_AND_IDLE = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);
/** Authentication ok, our own cancel key, ready. */
const GREETING = Buffer.concat([
  Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0]),
  Buffer.from([0x4b, 0, 0, 0, 12, 0, 0, 0, 1, 0, 0, 0, 2]),
  READY_AND_IDLE,
]);
const [QUERY, SYNC, TERMINATE] = ['Q', 'S', 'X'].map((letter) => letter.charCodeAt(0));

/** Starts a pooler with `size` connections to the server, used in turn, so that two successive statements of a client never get the same one. */
export async function startTransactionPooler(url: string, size = 3): Promise<TransactionPooler> {
  const backends = await Promise.all(Array.from({ length: size }, () => openBackend(url)));
  const free = backends.map(({ backend }) => backend);
  const queue: Borrower[] = [];
  for (const backend of free) backend.socket.on('data', (chunk: Buffer) => answer(backend, chunk));

  const server = createServer((socket) => {
    const borrower: Borrower = { socket, waiting: [], backend: null, unanswered: 0 };
    socket.on('error', () => {}); // only the close matters
    socket.once('data', () => {
      socket.write(GREETING);
      readMessages(socket, (message) => take(borrower, message));
    });
  });

  function take(borrower: Borrower, message: Buffer): void {
    if (message[0] === TERMINATE) return;
    if (message[0] === QUERY || message[0] === SYNC) borrower.unanswered++;
    if (borrower.backend !== null) {
      borrower.backend.socket.write(message);
      return;
    }
    borrower.waiting.push(message);
    if (!queue.includes(borrower)) queue.push(borrower);
    lend();
  }

  function lend(): void {
    while (free.length > 0 && queue.length > 0) {
      const [backend, borrower] = [free.shift()!, queue.shift()!];
      backend.borrower = borrower;
      borrower.backend = backend;
      for (const message of borrower.waiting.splice(0)) backend.socket.write(message);
    }
  }

  /** Data that arrives while nobody uses the connection, such as a notification, is lost, as in a real pooler. */
  function answer(backend: Backend, chunk: Buffer): void {
    const { borrower } = backend;
    if (borrower === null) return;
    borrower.socket.write(chunk);
    for (let at = chunk.indexOf(0x5a); at !== -1; at = chunk.indexOf(0x5a, at + 1)) {
      if (chunk.length >= at + 6 && chunk.readUInt32BE(at + 1) === 5) borrower.unanswered--;
    }
    if (borrower.unanswered > 0 || !chunk.subarray(-6).equals(READY_AND_IDLE)) return;
    backend.borrower = null;
    borrower.backend = null;
    free.push(backend);
    lend();
  }

  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(async () => {
    for (const { client } of backends) await client.end();
    await new Promise((closed) => server.close(closed));
  });
  const pooled = new URL(url);
  pooled.port = String((server.address() as { port: number }).port);
  return { url: pooled.href };
}

/** The driver logs in; after that, we use the raw connection. */
async function openBackend(url: string): Promise<{ readonly client: Client; readonly backend: Backend }> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { stream: socket } = (client as unknown as { connection: { stream: Socket } }).connection;
  socket.removeAllListeners('data');
  return { client, backend: { socket, borrower: null } };
}

function readMessages(socket: Socket, onMessage: (message: Buffer) => void): void {
  let bytes = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    while (bytes.length >= 5 && bytes.length >= 1 + bytes.readInt32BE(1)) {
      const length = 1 + bytes.readInt32BE(1);
      onMessage(bytes.subarray(0, length));
      bytes = bytes.subarray(length);
    }
  });
}
