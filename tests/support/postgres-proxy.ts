/** A proxy in front of a Postgres server: forwards everything and reports each call of an SQL function, before and after. */
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** The moment of a call: `before` it reaches the server, or `after` the server has committed and before the client knows. */
export type Moment = 'before' | 'after';

/** Called for each call of an `animus.` function, and for `commit`. If it returns `cut`, the connection forwards nothing more; `end` closes it. */
export type CallWatcher = (functionName: string, moment: Moment) => 'pass' | 'cut' | 'end';

/** Called for each statement before it reaches the server; `end` closes the connection instead. */
export type StatementWatcher = (sql: string) => 'pass' | 'end';

export interface PostgresProxy {
  /** The connection string of the proxy. */
  readonly url: string;
  /** From now on, calls are reported to this watcher. */
  watch(watcher: CallWatcher): void;
  /** From now on, statements are reported to this watcher. */
  watchStatements(watcher: StatementWatcher): void;
  /** Closes every connection, as a network failure does; new ones are refused until `mend`. */
  cut(): void;
  mend(): void;
}

/** Starts a proxy in front of the server of the connection string; it is stopped after the test. */
export async function startPostgresProxy(url: string): Promise<PostgresProxy> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let watcher: CallWatcher = () => 'pass';
  let statementWatcher: StatementWatcher = () => 'pass';
  let refusing = false;
  const server = createServer((client) => {
    if (refusing) {
      client.destroy();
      return;
    }
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {}); // a killed client resets the connection; only the close below matters
      socket.on('close', () => sockets.delete(socket));
    }
    relay(
      client,
      upstream,
      (name, moment) => watcher(name, moment),
      (sql) => statementWatcher(sql),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxied = new URL(url);
  proxied.port = String((server.address() as { port: number }).port);
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(async () => {
    cut();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: proxied.href,
    watch: (next) => {
      watcher = next;
    },
    watchStatements: (next) => {
      statementWatcher = next;
    },
    cut() {
      refusing = true;
      cut();
    },
    mend() {
      refusing = false;
    },
  };
}

/** Forwards both ways. A call begins when the client executes a statement that names a function, and ends at ReadyForQuery. */
function relay(client: Socket, upstream: Socket, watch: CallWatcher, watchStatement: StatementWatcher): void {
  const statements = new Map<string, string>();
  let started = false;
  let dead = false;
  let current: string | null = null;
  let fromClient: Buffer = Buffer.alloc(0);
  let fromServer: Buffer = Buffer.alloc(0);

  client.on('data', (chunk: Buffer) => {
    if (dead) return;
    if (!started) {
      // The start-up message has no type byte, and it arrives in one piece.
      started = true;
      upstream.write(chunk);
      return;
    }
    fromClient = Buffer.concat([fromClient, chunk]);
    for (const message of takeMessages()) {
      const sql = executedText(message, statements);
      if (sql !== null && !passes(watchStatement(sql))) return;
      const name = sql === null ? null : functionOf(sql);
      if (name !== null) {
        current = name;
        if (!passes(watch(name, 'before'))) return;
      }
      upstream.write(message);
    }
  });
  upstream.on('data', (chunk: Buffer) => {
    if (dead) return;
    fromServer = Buffer.concat([fromServer, chunk]);
    if (current !== null && endsExchange(fromServer)) {
      const name = current;
      current = null;
      if (!passes(watch(name, 'after'))) return;
    }
    if (endsExchange(fromServer)) fromServer = Buffer.alloc(0);
    client.write(chunk);
  });
  client.on('close', () => upstream.destroy());
  upstream.on('close', () => client.destroy());

  function passes(answer: ReturnType<CallWatcher>): boolean {
    dead = answer !== 'pass';
    if (answer === 'end') client.destroy();
    return !dead;
  }

  function* takeMessages(): Generator<Buffer> {
    while (fromClient.length >= 5) {
      const length = 1 + fromClient.readInt32BE(1);
      if (fromClient.length < length) return;
      yield fromClient.subarray(0, length);
      fromClient = fromClient.subarray(length);
    }
  }
}

/** The statement that a message executes: Parse ('P') names it, Bind ('B') of a prepared statement refers to it, Query ('Q') contains it. */
function executedText(message: Buffer, statements: Map<string, string>): string | null {
  const type = String.fromCharCode(message[0]!);
  const text = message.subarray(5).toString('latin1');
  switch (type) {
    case 'P': {
      const [name = '', sql = ''] = text.split('\0');
      statements.set(name, sql);
      return null;
    }
    case 'B':
      return statements.get(text.split('\0')[1] ?? '') ?? '';
    case 'Q':
      return text.replace(/\0$/, '');
    default:
      return null;
  }
}

/** The function of animus that a statement calls, or `commit`. */
function functionOf(sql: string): string | null {
  if (/^\s*commit\b/i.test(sql)) return 'commit';
  // What a statement reads from is called before what its columns call.
  const called = /\bfrom animus\.(?!now\b)(\w+)\(/.exec(sql) ?? /\banimus\.(?!now\b)(\w+)\s*\(/.exec(sql);
  return called?.[1] ?? null;
}

/** True if the server's last message so far is ReadyForQuery: 'Z', length 5, a status byte. */
function endsExchange(bytes: Buffer): boolean {
  return bytes.length >= 6 && bytes.readUInt32BE(bytes.length - 5) === 5 && bytes[bytes.length - 6] === 0x5a;
}
