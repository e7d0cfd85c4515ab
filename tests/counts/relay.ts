/** A relay in front of a Postgres server that counts what passes: the same for every client, whatever it is written in. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** What has passed so far. */
export interface Passed {
  /** Executed statements. */
  statements: number;
  /** Messages after which the client waits for the server (Sync, Query): round trips. */
  roundTrips: number;
  /** Ended transactions: the server is ready again and in none. */
  transactions: number;
}

export interface Relay {
  readonly passed: Readonly<Passed>;
  /** The connection string of the same database and login through the relay. */
  through(url: string): string;
  close(): Promise<void>;
}

/** Starts one on a free loopback port, to the server of this connection string (without TLS). */
export async function startRelay(serverUrl: string): Promise<Relay> {
  const target = new URL(serverUrl);
  const passed: Passed = { statements: 0, roundTrips: 0, transactions: 0 };
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => {}); // whatever breaks it also closes it
      socket.on('close', () => sockets.delete(socket));
    }
    const sent = messages((type) => {
      if (type === 'E' || type === 'Q') passed.statements++;
      if (type === 'S' || type === 'Q') passed.roundTrips++;
    });
    const answered = messages((type, body) => {
      if (type === 'Z' && body[0] === IN_NO_TRANSACTION) passed.transactions++;
    });
    let started = false;
    client.on('data', (chunk: Buffer) => {
      // The start-up message has no type, and arrives in one piece.
      if (started) sent(chunk);
      started = true;
      upstream.write(chunk);
    });
    upstream.on('data', (chunk: Buffer) => {
      answered(chunk);
      client.write(chunk);
    });
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    passed,
    through(url) {
      const relayed = new URL(url);
      relayed.port = String((server.address() as AddressInfo).port);
      return relayed.href;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const IN_NO_TRANSACTION = 'I'.charCodeAt(0);

/** Calls `each` for every whole message of the chunks, with its type and what follows its length. */
export function messages(each: (type: string, body: Buffer) => void): (chunk: Buffer) => void {
  let left: Buffer = Buffer.alloc(0);
  return (chunk) => {
    left = Buffer.concat([left, chunk]);
    while (left.length >= 5) {
      const length = 1 + left.readUInt32BE(1);
      if (left.length < length) return;
      each(String.fromCharCode(left[0]!), left.subarray(5, length));
      left = left.subarray(length);
    }
  };
}
