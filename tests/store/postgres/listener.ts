/** Collects notifications for a test. */

import { openNotifications } from '../../../src/store/postgres/notifications.ts';
import type { Database } from '../../../src/store/sql/database.ts';

export interface Listener {
  /** All notifications so far, as `channel payload`. */
  readonly heard: readonly string[];
  /** Resolves when the notification has arrived. */
  until(what: string): Promise<void>;
  stop(): Promise<void>;
}

export async function listen(db: Database, ...channels: string[]): Promise<Listener> {
  const heard: string[] = [];
  const waiting = new Map<string, () => void>();
  const notifications = openNotifications(db, channels, {
    onNotify: (channel, payload) => {
      const what = `${channel} ${payload}`.trim();
      heard.push(what);
      waiting.get(what)?.();
    },
    onReconnect: () => {},
  });
  await notifications.start();
  return {
    heard,
    until: (what) => (heard.includes(what) ? Promise.resolve() : new Promise((resolve) => waiting.set(what, resolve))),
    stop: () => notifications.stop(),
  };
}
