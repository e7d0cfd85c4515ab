/**
 * PGlite has a single session for all clients. This assigns it to one client at a time: from the first byte of a
 * statement to the ReadyForQuery that reports no open transaction. Otherwise the Parse of one client would mix with the
 * Bind of another.
 */
import type { PGlite } from '@electric-sql/pglite';
import { MessageReader, message, simpleQuery } from './wire.ts';

/** A connection as the session sees it. */
export interface SessionClient {
  /** Bytes for the client, whole messages. */
  send(bytes: Buffer): void;
  /** True once it has sent LISTEN. */
  listens(): boolean;
  /** The client held the session open too long: report it to the client and close the connection. */
  evict(): void;
}

/** Something to run: whole messages, up to a Sync or simple query (`ends`), or up to a Flush. */
interface Unit {
  readonly client: SessionClient;
  readonly bytes: Buffer;
  readonly ends: boolean;
  readonly done: () => void;
}

export interface SharedSession {
  /**
   * Runs the messages when it is the client's turn; resolves when the response has been sent, or dropped because the client
   * disconnected.
   */
  run(client: SessionClient, bytes: Buffer, ends: boolean): Promise<void>;
  /**
   * The client has disconnected: drops its queue, rolls back its open transaction and runs the clean-up. Further calls do
   * nothing.
   */
  leave(client: SessionClient, farewell: readonly Buffer[]): void;
}

/** The client for which the clean-up runs. */
const NOBODY: SessionClient = { send: () => {}, listens: () => false, evict: () => {} };
const NOTIFICATION = 'A'.charCodeAt(0);
const READY_FOR_QUERY = 'Z'.charCodeAt(0);
const IDLE = 'I'.charCodeAt(0);

/** `onCrash` is called when PGlite itself fails: nothing can run after that. */
export function shareSession(db: PGlite, maxIdleMs: number, onCrash: (error: unknown) => void): SharedSession {
  const queue: Unit[] = [];
  let owner: SessionClient | null = null;
  let midStatement = false;
  let running = false;
  let idleTimer: NodeJS.Timeout | undefined;
  const gone = new WeakSet<SessionClient>();
  const present = new Set<SessionClient>();

  const takeNext = (): Unit | undefined => {
    const index = owner === null ? 0 : queue.findIndex((unit) => unit.client === owner);
    return index < 0 ? undefined : queue.splice(index, 1)[0];
  };

  const pump = async (): Promise<void> => {
    if (running) return;
    running = true;
    for (;;) {
      if (owner && gone.has(owner)) await rollBack();
      const unit = takeNext();
      if (!unit) break;
      owner = unit.client;
      await execute(unit);
      unit.done();
    }
    running = false;
    // Others asking in the meantime do not restart the owner's time.
    if (owner) idleTimer ??= setTimeout(onIdle, maxIdleMs, owner);
  };

  const execute = async (unit: Unit): Promise<void> => {
    stopIdleTimer();
    const reply = await exchange(unit.bytes);
    // PGlite answers a failed extended query with a ReadyForQuery at the error and another at the Sync; a client must see only the last one.
    const { kept, notifications, status } = sort(reply, unit.ends);
    midStatement = !unit.ends;
    if (!gone.has(unit.client)) unit.client.send(kept);
    // PGlite treats all clients as one, so a notification arrives in the response to the client that sent it.
    if (notifications.length > 0) for (const client of present) if (client.listens()) client.send(notifications);
    // After a PANIC (the disk is full during a commit), Postgres would abort here, but PGlite hangs at the next statement.
    if (unit.ends && status === undefined) throw new Error('PGlite stopped without becoming ready again');
    if (unit.ends && status === IDLE) owner = null;
  };

  const rollBack = async (): Promise<void> => {
    stopIdleTimer();
    if (midStatement) await exchange(message('S'));
    await exchange(simpleQuery('rollback'));
    midStatement = false;
    owner = null;
  };

  const exchange = async (bytes: Buffer): Promise<Buffer> => {
    const parts: Buffer[] = [];
    const stack = stackPointer(db);
    const before = stack?.value;
    await db.execProtocolRawStream(bytes, { onRawData: (data) => void parts.push(Buffer.from(data)) });
    // PGlite leaves a failed statement with a JavaScript exception and does not unwind the C stack: it loses 1 to 6 kB each time, and gets
    // "stack depth limit exceeded" for everything after a few hundred failures. Between statements the stack is always at its base.
    if (stack) stack.value = before;
    return Buffer.concat(parts);
  };

  const stopIdleTimer = (): void => {
    clearTimeout(idleTimer);
    idleTimer = undefined;
  };

  const onIdle = (client: SessionClient): void => {
    idleTimer = undefined;
    // After the whole process was paused, its timers fire before its sockets are read: check again after that.
    setImmediate(() => {
      if (!running && owner === client && !idleTimer) client.evict();
    });
  };

  const start = (): void => void pump().catch(onCrash);

  return {
    run: (client, bytes, ends) =>
      new Promise((resolve) => {
        present.add(client);
        queue.push({ client, bytes, ends, done: resolve });
        start();
      }),
    leave(client, farewell) {
      if (gone.has(client)) return;
      gone.add(client);
      present.delete(client);
      for (let i = queue.length - 1; i >= 0; i--) {
        if (queue[i]?.client === client) queue.splice(i, 1)[0]?.done();
      }
      for (const bytes of farewell) queue.push({ client: NOBODY, bytes, ends: true, done: () => {} });
      start();
    },
  };
}

function stackPointer(db: PGlite): { value: unknown } | undefined {
  // A WebAssembly.Global: its name in Emscripten's exports, undefined in builds that do not export it.
  return (db.Module as { ___stack_pointer?: { value: unknown } }).___stack_pointer;
}

/** Removes the notifications from a reply, and all but the last ReadyForQuery. */
function sort(reply: Buffer, ends: boolean): { kept: Buffer; notifications: Buffer; status: number | undefined } {
  const reader = new MessageReader(1, 0x7fffffff);
  reader.push(reply);
  const others: Buffer[] = [];
  const notifications: Buffer[] = [];
  let ready: Buffer | undefined;
  for (let next = reader.next(); next; next = reader.next()) {
    if (next[0] === READY_FOR_QUERY) ready = next;
    else if (next[0] === NOTIFICATION) notifications.push(next);
    else others.push(next);
  }
  if (ends && ready) others.push(ready);
  return { kept: Buffer.concat(others), notifications: Buffer.concat(notifications), status: ready?.[5] };
}
