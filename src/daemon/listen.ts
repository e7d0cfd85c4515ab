/** What the daemon does when the database notifies it. */
import type { Wake } from '../core/lifecycle/wake.ts';
import { type Notifications, openNotifications } from '../store/postgres/notifications.ts';
import type { Database } from '../store/sql/database.ts';
import { sessionName } from '../store/work/daemons.ts';
import type { Log } from '../telemetry/log.ts';

/** Listens for new work, cancels and messages; after a lost connection it looks at all of them, because notifications were missed. */
export function listenForWork(daemon: {
  readonly db: Database;
  readonly log: Log;
  readonly daemonId: string;
  readonly wake: Wake;
  readonly beat: () => Promise<void>;
  readonly inbox: Pick<Wake, 'ring'>;
  readonly skills: Pick<Wake, 'ring'>;
}): Notifications {
  const rings = {
    animus_work_ready: () => daemon.wake.ring(),
    animus_cancel: daemon.beat,
    animus_inbox: () => daemon.inbox.ring(),
    animus_skills: () => daemon.skills.ring(),
  };
  return openNotifications(
    daemon.db,
    Object.keys(rings),
    {
      onNotify: (channel) => void rings[channel as keyof typeof rings](),
      onReconnect: () => Object.values(rings).forEach((ring) => void ring()),
    },
    daemon.log,
    sessionName(daemon.daemonId),
  );
}
