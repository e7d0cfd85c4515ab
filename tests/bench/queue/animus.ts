/** The product's own control plane with a focus that does nothing: claim, run, complete. */
import { randomUUID } from 'node:crypto';
import type { Faculty } from '../../../src/catalog/faculty/faculty.ts';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { createWake } from '../../../src/core/lifecycle/wake.ts';
import { createControlPlane } from '../../../src/daemon/control/control-plane.ts';
import { openNotifications } from '../../../src/store/postgres/notifications.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import { createWorkCompleter } from '../../../src/store/work/claimed/work-completer.ts';
import { deregisterDaemon, registerDaemon } from '../../../src/store/work/daemons.ts';
import { completeWork } from '../../../src/store/work/work.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';
import type { BenchQueue } from './queue.ts';

/**
 * `each`: each completion in its own transaction. `batched`: through the completer, as the daemon does. `ahead`: the same for a faculty that
 * opts in to `prefetch`.
 */
export type Completion = 'each' | 'batched' | 'ahead';

/** How many items the faculty of `ahead` claims beyond its free slots. */
const PREFETCH = 200;

const NOOP = {
  name: 'noop',
  maxConcurrent: null,
  dedupUntil: 'resolved',
  recover: { maxAttempts: 3 },
  engage: { mode: 'builtin' },
} as unknown as Faculty;

export function animusQueue(url: string, completion: Completion): BenchQueue {
  const producers = openPostgres(url, { poolSize: 10 });
  return {
    url,
    async enqueue(n) {
      await producers.query(
        `insert into animus.work_items (faculty, params) values ('noop', jsonb_build_object('n', $1::int))`,
        [n],
      );
    },
    async enqueueMany(count) {
      await producers.query(
        `insert into animus.work_items (faculty, params) select 'noop', jsonb_build_object('n', n) from generate_series(1, $1::int) n`,
        [count],
      );
    },
    async work(concurrency, onStart) {
      const db = openPostgres(url, { poolSize: 12 });
      const wake = createWake(systemClock);
      const daemonId = randomUUID();
      const completer = createWorkCompleter(db);
      const faculties = new Map([['noop', completion === 'ahead' ? { ...NOOP, prefetch: PREFETCH } : NOOP]]);
      let done = 0;
      const plane = createControlPlane({
        db,
        clock: systemClock,
        log: silentLog,
        processes: { setDeadline() {} },
        onClaimProblems() {},
        daemonId,
        wake,
        leaseSeconds: 60,
        settings: () => ({ maxConcurrent: concurrency, pollSeconds: 5, focusHostGraceSeconds: 120 }),
        faculties: () => faculties,
        async runFocus(work, _faculty, control) {
          onStart(Number(work.params['n']));
          control.ending();
          if (completion === 'each') await completeWork(db, work, {}, null);
          else await completer.complete({ ...work, outcome: {}, summary: null });
          done++;
          return 'ended';
        },
      });
      const notifications = openNotifications(db, ['animus_work_ready'], {
        onNotify: () => wake.ring(),
        onReconnect: () => wake.ring(),
      });
      await registerDaemon(db, {
        id: daemonId,
        host: 'bench',
        pid: process.pid,
        version: '0',
        maxConcurrent: concurrency,
        faculties: { noop: { max: 1_000_000, max_attempts: 3, dedup_until: 'resolved' } },
        problems: [],
      });
      await notifications.start();
      await plane.start();
      return {
        done: () => done,
        async stop() {
          await plane.stop();
          await notifications.stop();
          await deregisterDaemon(db, daemonId);
          await db.close();
        },
      };
    },
    close: () => producers.close(),
  };
}
