/** Watches whether this daemon's claims bring what is due, and keeps one item or faculty that makes them fail from stopping all others. */
import { messageOf } from '../../core/errors/errors.ts';
import {
  type FacultyFault,
  findFaults,
  type ItemFault,
  readUnclaimed,
  type Unclaimed,
} from '../../store/work/claimed/claim-faults.ts';
import type { ClaimRequest } from '../../store/work/work.ts';
import { gauge } from '../../telemetry/metrics.ts';
import type { Ends } from '../focus/scope/refused-end.ts';
import type { ServiceBase } from '../parts/service-base.ts';
import { createEndWatch } from './end-watch.ts';

interface ClaimReports extends ServiceBase {
  /** What people are told; called when it has changed. */
  readonly onProblems: (problems: readonly string[]) => void;
}

export interface ClaimWatch {
  /** Without the faculties of which nothing can be claimed now. */
  able<Options>(faculties: Readonly<Record<string, Options>>): Readonly<Record<string, Options>>;
  /** After a claim that failed: finds what made it fail, and leaves that out. True: claim again. */
  explain(request: ClaimRequest, error: unknown): Promise<boolean>;
  /** Items that are left out because of their waits. */
  leftOut(faults: readonly ItemFault[]): void;
  /** Why due waits cannot be resolved; null: they can. */
  waits(problem: string | null): void;
  /** A round has brought so many items; null: the daemon had no room for more. Never rejects. */
  brought(items: number | null): Promise<void>;
  /** A round has failed. */
  failed(error: unknown): void;
  /** What foci report of their ends. */
  readonly ends: Ends;
  /** `ok`, or since when nothing could be claimed, or no end was taken, and why. */
  standing(): string;
}

/** How long claims may fail before the daemon counts as standing still: a restart of the server, or its failover, takes less. */
export const STANDING_MS = 60_000;
/** Between two looks for work that nobody claims, and between two for what makes all claims fail. */
const LOOK_MS = 30_000;
/** An item is claimed again by the database's clock, with the next round. */
const SLACK_MS = 1000;
/** Items that are named as problems. */
const MOST_TOLD = 20;

export function createClaimWatch({ db, clock, log, onProblems }: ClaimReports): ClaimWatch {
  const items = new Map<string, { readonly fault: ItemFault; readonly untilMs: number }>();
  const faculties = new Map<string, { readonly untilMs: number; readonly message: string }>();
  let ofWaits: string | null = null;
  let failing: { readonly sinceMs: number; readonly why: string } | null = null;
  let unclaimed: Unclaimed | null = null;
  let broughtAtMs = clock.monotonicMs();
  let nextLookMs = 0;
  let unexplained = { error: '', untilMs: 0 };
  let told: readonly string[] = [];
  let stood = false;
  const ends = createEndWatch(clock, STANDING_MS, tell);

  function standing(): string {
    if (failing === null || clock.monotonicMs() - failing.sinceMs < STANDING_MS) return 'ok';
    return `no work could be claimed for ${Math.floor((clock.monotonicMs() - failing.sinceMs) / 60_000)} min: ${failing.why}`;
  }

  function fail(why: string, sinceMs = clock.monotonicMs()): void {
    failing = { sinceMs: failing?.sinceMs ?? sinceMs, why };
  }

  /** Tells people and metrics, if anything has changed. */
  function tell(): void {
    const stands = standing() !== 'ok';
    if (stands && !stood) log.error({ error: failing!.why }, 'no work could be claimed for a minute');
    if (!stands && stood) log.info({}, 'work is claimed again');
    stood = stands;
    gauge('work.claims.failing', failing === null ? 0 : (clock.monotonicMs() - failing.sinceMs) / 1000, {});
    gauge('work.claims.left_out', items.size, {});
    const problems = [
      ...(stands ? [`no work can be claimed: ${failing!.why}`] : []),
      ...(ofWaits === null ? [] : [`waits that are due cannot be ended: ${ofWaits}`]),
      ...[...faculties].map(([name, { message }]) => `no work of ${name} can be claimed: ${message}`),
      ...[...items.values()].slice(0, MOST_TOLD).map(({ fault }) => itemProblem(fault)),
      ...(items.size > MOST_TOLD ? [`${items.size - MOST_TOLD} more work items cannot be claimed`] : []),
      ...(unclaimed === null || stands ? [] : [unclaimedProblem(unclaimed)]),
      ...ends.problems(),
    ];
    if (problems.length === told.length && problems.every((problem, n) => problem === told[n])) return;
    told = problems;
    onProblems(problems);
  }

  function leaveOut(faults: readonly ItemFault[]): void {
    for (const fault of faults) {
      const { workItemId, faculty, message, failures, until, leftSeconds } = fault;
      log.warn(
        { work_item_id: workItemId, faculty, error: message, failures, until },
        'this work item cannot be claimed; it is skipped for a while, and other work goes on',
      );
      items.set(workItemId, { fault, untilMs: clock.monotonicMs() + 1000 * leftSeconds + SLACK_MS });
    }
  }

  function holdFaculty({ faculty, message, failures, until, leftSeconds }: FacultyFault): void {
    log.warn(
      { faculty, error: message, failures, until },
      'no work of this faculty can be claimed; it is skipped for a while, and other work goes on',
    );
    faculties.set(faculty, { message, untilMs: clock.monotonicMs() + 1000 * leftSeconds + SLACK_MS });
  }

  /** What was due to be tried again has been tried, and did not fail. */
  function forgetOver(): void {
    for (const [id, { untilMs }] of items) if (untilMs <= clock.monotonicMs()) items.delete(id);
    for (const [name, { untilMs }] of faculties) if (untilMs <= clock.monotonicMs()) faculties.delete(name);
  }

  async function lookForUnclaimed(served: readonly string[]): Promise<void> {
    if (clock.monotonicMs() - broughtAtMs < STANDING_MS || clock.monotonicMs() < nextLookMs) return;
    nextLookMs = clock.monotonicMs() + LOOK_MS;
    unclaimed = await readUnclaimed(db, served).catch((error: unknown) => {
      log.debug({ error: messageOf(error) }, 'could not look for work that nobody claims');
      return null;
    });
  }

  let served: readonly string[] = [];
  return {
    able(options) {
      const now = clock.monotonicMs();
      served = Object.keys(options);
      const out = new Set([...faculties].filter(([, { untilMs }]) => untilMs > now).map(([name]) => name));
      return out.size === 0 ? options : Object.fromEntries(Object.entries(options).filter(([name]) => !out.has(name)));
    },
    async explain(request, error) {
      if (messageOf(error) === unexplained.error && clock.monotonicMs() < unexplained.untilMs) return false;
      try {
        const fault = await findFaults(db, request, error);
        if (fault.reach !== 'some') {
          unexplained = { error: messageOf(error), untilMs: clock.monotonicMs() + LOOK_MS };
          return false;
        }
        leaveOut(fault.items);
        for (const faculty of fault.faculties) holdFaculty(faculty);
        return true;
      } catch (cause) {
        log.debug({ error: messageOf(cause) }, 'could not find out why a claim failed');
        return false;
      }
    },
    leftOut: leaveOut,
    waits(problem) {
      if (problem !== null && ofWaits === null) log.error({ error: problem }, 'cannot end waits; trying again');
      ofWaits = problem;
    },
    async brought(count) {
      if (count !== 0) {
        broughtAtMs = clock.monotonicMs();
        unclaimed = null;
      } else await lookForUnclaimed(served);
      forgetOver();
      // One item alone says nothing about others: there are none.
      if (count === 0 && items.size > 1) fail(lastOf(items).fault.message);
      else if (count === 0 && unclaimed !== null && unclaimed.items > 1)
        fail(unclaimedProblem(unclaimed), clock.monotonicMs() - STANDING_MS);
      else failing = null;
      tell();
    },
    failed(error) {
      fail(messageOf(error));
      tell();
    },
    ends,
    standing: () => (standing() === 'ok' ? ends.standing() : standing()),
  };
}

function lastOf<Value>(map: ReadonlyMap<string, Value>): Value {
  return [...map.values()].at(-1)!;
}

function itemProblem({ workItemId, faculty, message, failures, until }: ItemFault): string {
  const often = failures === 1 ? 'failed once' : `failed ${failures} times`;
  return `work item ${workItemId} of ${faculty} cannot be claimed: ${message} (${often}; tried again at ${until.slice(0, 19)}Z)`;
}

function unclaimedProblem({ items, workItemId, since, locked }: Unclaimed): string {
  const what = items === 1 ? `work item ${workItemId} has` : `${items} or more work items, such as ${workItemId}, have`;
  const why = locked ? 'another transaction has its row locked: look in pg_stat_activity' : 'nothing says why';
  return `${what} been due since ${since.slice(0, 19)}Z without being claimed: ${why}`;
}
