/** LISTEN with reconnection. A notification is a hint that there is something to read, never the thing itself. */
import pgListen from 'pg-listen';
import { AnimusError, messageOf } from '../../core/errors/errors.ts';
import type { Service } from '../../core/lifecycle/service.ts';
import { type Log, silentLog } from '../../telemetry/log.ts';
import type { Database } from '../sql/database.ts';

export interface NotificationHandlers {
  /** Called for each notification; must not throw. */
  onNotify(channel: string, payload: string): void;
  /** Called when the connection was lost and LISTEN stands again: whatever came in between was missed, so look for yourself. */
  onReconnect(): void;
}

// The package is CommonJS whose default export sits on `default` as Node sees it.
const createSubscriber = pgListen.default;

/** A listener that can say whether it hears. */
export interface Notifications extends Service {
  /** True while the LISTEN connection stands. */
  listening(): boolean;
}

/**
 * A listener on its own connection. `start` rejects with `db.unreachable` when the first connection fails; after that a
 * lost connection is replaced for ever, after 0.1, 0.2 … at most 5 s. On an embedded database notifications are passed on by
 * its front; a client that says UNLISTEN there ends them for all, so its callers poll as well.
 */
export function openNotifications(
  database: Database,
  channels: readonly string[],
  handlers: NotificationHandlers,
  log: Log = silentLog,
): Notifications {
  let connected = false;
  let started = false;
  let stopped = false;
  const subscriber = createSubscriber(
    { connectionString: database.connectionString, application_name: 'animus-listen' },
    {
      parse: (payload) => payload,
      paranoidChecking: 15_000,
      retryInterval: (attempt) => {
        // The library has no other way to be told to stop reconnecting.
        if (stopped) throw new AnimusError('interrupted');
        return Math.min(5_000, 100 * 2 ** Math.min(attempt, 10));
      },
      retryLimit: Number.POSITIVE_INFINITY,
      retryTimeout: 0,
    },
  );
  for (const channel of channels)
    subscriber.notifications.on(channel, (payload) => handlers.onNotify(channel, String(payload ?? '')));
  subscriber.events.on('connected', () => {
    // A reconnection that was under way when we stopped has just succeeded.
    if (stopped) void subscriber.close();
    connected = true;
    if (!started || stopped) return;
    log.info({ where: database.where }, 'listening again');
    handlers.onReconnect();
  });
  subscriber.events.on('reconnect', (attempt) => {
    connected = false;
    if (attempt === 1) log.warn({ where: database.where }, 'lost the listening connection');
  });
  subscriber.events.on('error', (error) => {
    connected = false;
    if (!stopped) log.error({ error: messageOf(error) }, 'listening failed; it is tried again within 15 s');
  });
  return {
    listening: () => started && connected && !stopped,
    async start() {
      try {
        await subscriber.connect();
        for (const channel of channels) await subscriber.listenTo(channel);
        started = true;
      } catch (error) {
        // The library would go on trying behind our back.
        stopped = true;
        throw new AnimusError(
          'db.unreachable',
          { where: database.where, detail: messageOf(error), hint: '' },
          { cause: error },
        );
      }
    },
    async stop() {
      if (stopped) return;
      stopped = true;
      if (started) await subscriber.close();
    },
  };
}
