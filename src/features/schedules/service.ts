/** Fires schedules: computes when each is due; the database decides which daemon fires it. */

import { isAnimusError, messageOf } from '../../core/errors/errors.ts';
import { createLoop } from '../../core/lifecycle/loop.ts';
import type { Service } from '../../core/lifecycle/service.ts';
import { type CronReading, readCron } from '../../core/work/cron.ts';
import type { PartOfDaemon } from '../../daemon/parts/daemon-part.ts';
import { dueRuns } from './due-runs.ts';
import { fireSchedule, readDueSchedules, type ScheduleLook } from './store.ts';

export interface Scheduler extends Service {
  /** One pass; returns the milliseconds until the next one. `recheck`: include schedules that had a problem. */
  look(recheck?: boolean): Promise<number>;
}

type OfDaemon = Pick<PartOfDaemon, 'db' | 'clock' | 'log'> & {
  readonly settings: () => { readonly daemon: { readonly pollSeconds: number } };
};

/** Runs when the next schedule is due, and at every poll. Every daemon of a database may run one. */
export function createScheduler({ db, clock, log, settings }: OfDaemon): Scheduler {
  // How soon a schedule written by SQL is detected; the embedded database is polled at most once a second.
  const pollMs = Math.max(1000, settings().daemon.pollSeconds * 1000);
  const loop = createLoop(run);
  const { stopping } = loop;
  let troubled = false;
  let refused: ReadonlyMap<string, string> = new Map();

  async function run(): Promise<void> {
    // A later animus may accept what an earlier one did not.
    for (let recheck = true; !stopping.aborted; recheck = false) {
      await clock.sleep(await lookSafely(recheck), stopping);
    }
  }

  async function lookSafely(recheck: boolean): Promise<number> {
    try {
      const waitMs = await look(recheck);
      troubled = false;
      return waitMs;
    } catch (error) {
      if (!troubled) log.error({ error: messageOf(error) }, 'cannot process schedules; trying again');
      troubled = true;
      return 500 + 1000 * Math.random();
    }
  }

  async function look(recheck = false): Promise<number> {
    const { now, due, next_in_ms: nextInMs } = await readDueSchedules(db, recheck);
    const failures = new Map<string, string>();
    for (const schedule of due) {
      if (stopping.aborted) break;
      await settle(schedule, new Date(now)).catch((error: unknown) => {
        if (isAnimusError(error, 'db.unreachable')) throw error;
        failures.set(schedule.name, messageOf(error));
      });
    }
    noteFailures(failures);
    // A schedule that was fired may be due again at once, because next_in_ms was read before. One that was not fired
    // stays due, and waits.
    return due.length > failures.size ? 0 : Math.min(pollMs, nextInMs ?? pollMs);
  }

  /** A schedule whose work the database refuses must not block the others; each refusal is logged once. */
  function noteFailures(failures: ReadonlyMap<string, string>): void {
    for (const [schedule, error] of failures) {
      if (refused.get(schedule) !== error)
        log.error({ schedule, error }, 'a schedule is due and could not be fired; trying again');
    }
    refused = failures;
  }

  async function settle(schedule: ScheduleLook, now: Date): Promise<void> {
    const reading = readCron(schedule.cron, schedule.time_zone);
    if (!reading.ok) return refuse(schedule, reading.problem);
    const firing = firingOf(schedule, now, reading);
    const ids = await fireSchedule(db, schedule, firing);
    if (ids === null) return;
    for (const id of ids) log.info({ schedule: schedule.name, work_item_id: id }, 'a schedule fired');
    if (schedule.overlap === 'skip' && ids.length < firing.due.length)
      log.info({ schedule: schedule.name }, 'a run of a schedule was skipped: its last item has not ended');
    if (firing.missed !== null) {
      const facts = { schedule: schedule.name, ...firing.missed };
      if (schedule.held) log.info(facts, 'runs of a schedule were skipped: its last item had not ended');
      else log.warn(facts, 'a schedule missed runs; its policy skips them');
    }
  }

  async function refuse(schedule: ScheduleLook, problem: string): Promise<void> {
    const noted = await fireSchedule(db, schedule, { due: [], missed: null, nextAt: null, problem });
    if (noted !== null) log.error({ schedule: schedule.name, problem }, 'a schedule cannot be used');
  }

  return { ...loop, look };
}

function firingOf(schedule: ScheduleLook, now: Date, { dueTimes }: Extract<CronReading, { ok: true }>) {
  const never = 'it has no further due time';
  if (schedule.next_at === null) {
    const nextAt = dueTimes.next(now);
    return { due: [], missed: null, nextAt, problem: nextAt === null ? never : null };
  }
  const runs = dueRuns(
    { nextAt: new Date(schedule.next_at), missed: schedule.missed, graceSeconds: schedule.grace_seconds },
    now,
    dueTimes,
  );
  const { fire, missed, nextAt } = runs;
  return { due: fire, missed, nextAt, problem: nextAt === null ? never : null };
}
