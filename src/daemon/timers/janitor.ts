/** Removes old data: packs transcripts into the history; deletes resolved work, artifacts, archived messages, watches, daemons, and directories of ended foci on this host. */

import type { RetentionConfig } from '../../core/config/sections/daemon.ts';
import { messageOf } from '../../core/errors/errors.ts';
import { createLoop } from '../../core/lifecycle/loop.ts';
import type { Service } from '../../core/lifecycle/service.ts';
import { pruneWorktrees } from '../../store/work/kept-worktrees.ts';
import {
  dropMonth,
  type PruneCursor,
  packHistory,
  pruneArchives,
  pruneArtifacts,
  pruneConversations,
  pruneRegisters,
  pruneSkillPackages,
  pruneWork,
} from '../../store/work/retention.ts';
import type { Prune } from '../parts/daemon-part.ts';
import type { ServiceBase } from '../parts/service-base.ts';
import { sweepFocusDirectories } from '../workspace/focus-directory.ts';
import { sweepHomes } from '../workspace/focus-home.ts';

interface CleanedDaemon extends ServiceBase {
  /** The current setting. */
  readonly retention: () => RetentionConfig;
  /** The parent of the focus directories of this host. */
  readonly directoryRoot: string;
  /** What else is removed when it is as old as resolved work, by the name under which it is counted. */
  readonly prunes: ReadonlyMap<string, Prune>;
}

/** What one round removed, by what is counted. `busy`: another daemon is sweeping and does the rest; `more`: the time was up before everything was done. */
interface Swept extends Readonly<Record<string, number | boolean>> {
  readonly busy: boolean;
  readonly more: boolean;
}

export interface Janitor extends Service {
  /** One round, bounded in time. */
  sweep(): Promise<Swept>;
}

/** Average time between rounds; varies by half, so that daemons that started together do not sweep together. */
const INTERVAL_MS = 600_000;
/** The same after a round that ran out of time. */
const BACKLOG_MS = 1000;
/** Soon enough for short-lived daemons, late enough not to slow down the start. */
const FIRST_MS = 60_000;
/** The time limit of one round; the next round does the rest. */
const ROUND_MS = 30_000;
/** Pause between two transactions, so that the queue is not held up: as long as the last one took. */
const BREATH = 1;
const WORK_BATCH = 200;
/** A conversation may have thousands of items. */
const CONVERSATION_BATCH = 20;
const SMALL_ROW_BATCH = 1000;

/** A janitor. Only one sweeps a database at a time, whatever the number of daemons. */
export function createJanitor(daemon: CleanedDaemon): Janitor {
  const { db, clock, log, retention } = daemon;
  const loop = createLoop(run);
  const { stopping } = loop;

  async function run(): Promise<void> {
    for (let averageMs = FIRST_MS; ; ) {
      await clock.sleep(averageMs * (0.5 + Math.random()), stopping);
      if (stopping.aborted) return;
      averageMs = INTERVAL_MS;
      try {
        const swept = await sweep();
        if (swept.more && !swept.busy) averageMs = BACKLOG_MS;
        const removed = Object.values(swept).some((count) => typeof count === 'number' && count > 0);
        if (removed) log.info(swept, 'removed old rows and directories');
      } catch (error) {
        log.warn({ error: messageOf(error) }, 'could not remove old rows; the next round tries again');
      }
    }
  }

  async function sweep(): Promise<Swept> {
    const { resolvedDays, packDays, artifactsDays, directoriesDays: keepDays } = retention();
    const { directoryRoot } = daemon;
    const directories =
      (await sweepFocusDirectories(db, directoryRoot, { keepDays, log })) + (await sweepHomes(db, directoryRoot));
    const endMs = clock.monotonicMs() + ROUND_MS;
    let beganMs = clock.monotonicMs();
    const more = async () => {
      await clock.sleep((clock.monotonicMs() - beganMs) * BREATH, stopping);
      beganMs = clock.monotonicMs();
      return !stopping.aborted && beganMs < endMs;
    };
    const parts = new Map<string, Part>();
    const prune = async (counted: string, batch: number, one: (batch: number) => Promise<number | null>) => {
      parts.set(counted, await repeat(() => one(batch), batch, more));
    };
    await prune('conversations', CONVERSATION_BATCH, (batch) => pruneConversations(db, resolvedDays, batch));
    await prune('artifacts', WORK_BATCH, (batch) => pruneArtifacts(db, artifactsDays, batch));
    const items = await allOldWork(more);
    parts.set('items', items);
    // Items whose transcript was packed, or had none, or was passed over.
    await prune('packed', WORK_BATCH, async (batch) => (packDays === null ? 0 : packHistory(db, packDays, batch)));
    await prune('archived', SMALL_ROW_BATCH, (batch) => pruneArchives(db, resolvedDays, batch));
    await prune('registered', SMALL_ROW_BATCH, (batch) => pruneRegisters(db, batch));
    for (const [counted, one] of daemon.prunes) {
      await prune(counted, SMALL_ROW_BATCH, (batch) => one(db, resolvedDays, batch));
    }
    // Packages of skills, and rows of worktrees that are gone with their items.
    await prune('packages', WORK_BATCH, (batch) => pruneSkillPackages(db, resolvedDays, batch));
    await prune('worktrees', WORK_BATCH, (batch) => pruneWorktrees(db, resolvedDays, batch));
    // Months of the history, but not before the work of that month is deleted.
    await prune('months', 1, async () => (items.more || items.busy ? 0 : dropMonth(db, resolvedDays)));
    return {
      ...Object.fromEntries([...parts].map(([counted, { count }]) => [counted, count])),
      directories,
      busy: [...parts.values()].some((part) => part.busy),
      more: [...parts.values()].some((part) => part.more),
    };
  }

  async function allOldWork(more: () => Promise<boolean>): Promise<Part> {
    let count = 0;
    let cursor: PruneCursor | null = null;
    do {
      const pruned = await pruneWork(db, retention().resolvedDays, WORK_BATCH, cursor);
      if (pruned.deleted === null) return { count, busy: true, more: false };
      count += pruned.deleted;
      cursor = pruned.cursor;
      // A full batch without a cursor stopped inside the first tree.
      if (cursor === null && pruned.deleted < WORK_BATCH) return { count, busy: false, more: false };
    } while (await more());
    return { count, busy: false, more: true };
  }

  return { ...loop, sweep };
}

interface Part {
  readonly count: number;
  readonly busy: boolean;
  readonly more: boolean;
}

/** Runs batches until one is not full, another daemon is sweeping, or the time is up. */
async function repeat(prune: () => Promise<number | null>, batch: number, more: () => Promise<boolean>): Promise<Part> {
  let count = 0;
  do {
    const pruned = await prune();
    if (pruned === null) return { count, busy: true, more: false };
    count += pruned;
    if (pruned < batch) return { count, busy: false, more: false };
  } while (await more());
  return { count, busy: false, more: true };
}
