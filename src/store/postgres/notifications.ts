/** LISTEN with reconnection. A notification is only a hint that there may be something to read. */

import { messageOf } from '../../core/errors/errors.ts';
import { systemClock } from '../../core/lifecycle/clock.ts';
import type { Service } from '../../core/lifecycle/service.ts';
import type { Log } from '../../telemetry/log.ts';
import { silentLog } from '../../telemetry/silent-log.ts';
import type { Database } from '../sql/database.ts';
import { connectError, statementError } from '../sql/database-errors.ts';
import { GuardedClient } from './guarded-client.ts';
import { chooseHosts, failedAt, type HostFailure, isOfHost } from './replaceable-pool.ts';
import { settleSession } from './session-settings.ts';

export interface NotificationHandlers {
  /** Called for each notification of the channels that were asked for; must not throw. */
  onNotify(channel: string, payload: string): void;
  /** Called when LISTEN is active again after a lost connection: notifications in between were missed, so the caller must poll. */
  onReconnect(): void;
}

/** A listener that reports whether it is connected. */
export interface Notifications extends Service {
  /** True while the LISTEN connection is up. */
  listening(): boolean;
  /** Listens on another channel, too, until `leave`. Resolves when it does, or when it will after a lost connection. */
  join(channel: string): Promise<void>;
  leave(channel: string): Promise<void>;
}

/** How often the connection is probed: after a network failure a half-open connection reports no error by itself. */
const CHECK_MS = 15_000;
/** A connection that does not answer within this time counts as lost. */
const ANSWER_MS = 10_000;
const MAX_PAUSE_MS = 5_000;

/**
 * Opens a listener on its own connection. `start` rejects if the first connection cannot be made (`db.unreachable`,
 * `db.refused`) and can then be called again. After that, a lost connection is replaced after 0, 0.1, 0.2 … at most 5 s, without
 * a limit on attempts. The front of the embedded database forwards notifications, to each client also those for which only
 * others listen; if any client sends UNLISTEN there, all clients lose them, so callers must poll as well.
 */
export function openNotifications(
  database: Database,
  channels: readonly string[],
  handlers: NotificationHandlers,
  log: Log = silentLog,
  applicationName = 'animus-listen',
): Notifications {
  const stopping = new AbortController();
  const hosts = chooseHosts(database.connectionString);
  const wanted = new Set(channels);
  let last: Promise<void> = Promise.resolve();
  let standing: GuardedClient | null = null;
  let making: GuardedClient | null = null;
  let keeping: Promise<void> | null = null;

  /** At the first host that will do. */
  async function listen(): Promise<GuardedClient> {
    const failures: HostFailure[] = [];
    for (;;) {
      const url = hosts.current();
      try {
        return await listenAt(url);
      } catch (error) {
        const { cause } = error as Error;
        if (stopping.signal.aborted || !isOfHost(cause ?? error)) throw error;
        failures.push({ url, error: cause ?? error });
        hosts.next();
        if (failures.length < hosts.count) continue;
        throw hosts.count === 1 ? error : connectError(failedAt(failures), database.where, '');
      }
    }
  }

  async function listenAt(connectionString: string): Promise<GuardedClient> {
    const client = new GuardedClient({
      connectionString,
      application_name: applicationName,
      keepAlive: true,
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
    });
    client.on('notification', ({ channel, payload }) => {
      if (wanted.has(channel)) handlers.onNotify(channel, payload ?? '');
    });
    making = client;
    try {
      await client.connectOrClose().catch((error: unknown) => {
        throw connectError(error, database.where, '');
      });
      await hosts.check(client, ANSWER_MS);
      if (database.kind === 'postgres') await settleSession(client, ANSWER_MS);
      // LISTEN takes no parameters.
      for (const channel of wanted) await client.query(`listen ${client.escapeIdentifier(channel)}`);
      return client;
    } catch (error) {
      await client.close(0);
      throw statementError(error, database.where);
    } finally {
      making = null;
    }
  }

  /** Replaces the connection whenever it is lost, until it is stopped. */
  async function keep(first: GuardedClient): Promise<void> {
    let client: GuardedClient | null = first;
    while (client && !stopping.signal.aborted) {
      standing = client;
      await untilLost(client, stopping.signal, inTurn);
      standing = null;
      await client.close();
      client = await listenAgain();
      if (client) handlers.onReconnect();
    }
  }

  /** Null if it was stopped in the meantime. */
  async function listenAgain(): Promise<GuardedClient | null> {
    if (!stopping.signal.aborted)
      log.warn({ where: database.where }, 'lost the connection that listens for notifications');
    for (let pauseMs = 100; !stopping.signal.aborted; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
      try {
        const client = await listen();
        log.info({ where: database.where }, 'listening for notifications again');
        return client;
      } catch (error) {
        log.debug({ error: messageOf(error) }, 'cannot listen yet; trying again');
        await systemClock.sleep(pauseMs, stopping.signal);
      }
    }
    return null;
  }

  /** A lost connection fails the statement; the next one listens on every channel that is wanted then. */
  function run(command: 'listen' | 'unlisten', channel: string): Promise<void> {
    return inTurn(async () => {
      const client = standing;
      await client?.query(`${command} ${client.escapeIdentifier(channel)}`).catch(() => undefined);
    });
  }

  /** One statement after the other: a client runs one at a time. */
  function inTurn(statement: () => Promise<void>): Promise<void> {
    const done = last.then(statement);
    last = done.catch(() => undefined);
    return done;
  }

  return {
    listening: () => standing !== null && !stopping.signal.aborted,
    async join(channel) {
      wanted.add(channel);
      await run('listen', channel);
    },
    async leave(channel) {
      wanted.delete(channel);
      await run('unlisten', channel);
    },
    async start() {
      const client = await listen();
      standing = client;
      keeping = keep(client);
    },
    async stop() {
      stopping.abort();
      await making?.close(0);
      await keeping;
    },
  };
}

/** Resolves when the connection is lost, when it no longer answers, or when the signal aborts. */
async function untilLost(
  client: GuardedClient,
  signal: AbortSignal,
  inTurn: (statement: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const over = new AbortController();
  void client.gone.then(() => over.abort());
  const either = AbortSignal.any([over.signal, signal]);
  while (!either.aborted) {
    await systemClock.sleep(CHECK_MS, either);
    if (either.aborted) return;
    try {
      await inTurn(async () => void (await client.query('select 1')));
    } catch {
      // For any reason: a connection that cannot run this statement is useless, and the caller opens another.
      return;
    }
  }
}
