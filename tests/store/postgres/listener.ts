/** Collects notifications for a test. */

import { openNotifications } from '../../../src/store/postgres/notifications.ts';
import type { Database, Queryable } from '../../../src/store/sql/database.ts';

export interface Listener {
  /** All notifications so far, as `channel payload`. */
  readonly heard: readonly string[];
  /** Resolves when the notification has arrived. */
  until(what: string): Promise<void>;
  stop(): Promise<void>;
}

/** How notifications name an item; null if the login may not see it. */
export async function noticeOf(db: Queryable, id: string): Promise<string | null> {
  return (await db.query<{ notice: string | null }>('select animus.notice_of($1) as notice', [id]))[0]!.notice;
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
