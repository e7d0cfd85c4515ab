/**
 * Checks once whether notifications reach this daemon: through a transaction pooler, LISTEN succeeds and no notification ever
 * arrives.
 */
import { messageOf } from '../../core/errors/errors.ts';
import { createLoop } from '../../core/lifecycle/loop.ts';
import type { Service } from '../../core/lifecycle/service.ts';
import { notificationMs } from '../../store/postgres/health.ts';
import type { ServiceBase } from '../parts/service-base.ts';

interface NotifiedDaemon extends Pick<ServiceBase, 'db' | 'log'> {
  readonly pollSeconds: number;
  /** Called with the problem when no notification arrived. */
  readonly onProblem: (problem: string) => Promise<void>;
}

/** `start` begins the check and does not wait for it. The embedded database is not checked, because it is polled anyway. */
export function createNotificationCheck({ db, log, pollSeconds, onProblem }: NotifiedDaemon): Service {
  return createLoop(async (stopping) => {
    if (db.kind === 'embedded') return;
    try {
      const heardMs = await notificationMs(db, { signal: stopping });
      if (heardMs !== null || stopping.aborted) return;
      const problem =
        `notifications of the database at ${db.where} do not arrive (is a transaction pooler in between?): ` +
        `work is found only by polling, every ${pollSeconds} s; connect to the server directly`;
      log.warn({ where: db.where, poll_seconds: pollSeconds }, problem);
      await onProblem(problem);
    } catch (error) {
      log.warn({ error: messageOf(error) }, 'could not check whether notifications arrive');
    }
  });
}
