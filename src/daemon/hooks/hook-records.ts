/** What the hooks of a focus have decided: kept in the database, and read back once when the focus is resumed. */
import { withinLease } from '../../engage/calls/within-lease.ts';
import type { Database } from '../../store/sql/database.ts';
import type { FocusKey } from '../../store/transcript/focus-row.ts';
import { type HookRun, type NewHookRun, readHookRuns, recordHookRun } from '../../store/transcript/hook-runs.ts';

/** What a run was about. */
export type HookSubject = Pick<HookRun, 'turn' | 'event' | 'callId' | 'hook'>;

export interface HookRecords {
  /** The recorded run about this subject; null if there is none. */
  find(subject: HookSubject): Promise<HookRun | null>;
  /** Records a run, in place of an earlier one; returns the numbers of its ledger entries. Retries while the lease lasts. */
  keep(run: NewHookRun): Promise<readonly number[]>;
}

/** `resumed`: the focus may have runs of an earlier process. A new focus reads nothing. */
export function createHookRecords(db: Database, focus: FocusKey, resumed: boolean, signal: AbortSignal): HookRecords {
  const known = new Map<string, HookRun>();
  let read: Promise<void> | null = null;

  /** Only the turn that is under way and the next one can have runs that still count. */
  async function readBack(fromTurn: number): Promise<void> {
    for (const run of await readHookRuns(db, focus.focusId, fromTurn)) remember(run);
  }

  function remember(run: HookRun): void {
    for (const [key, old] of known) if (old.turn < run.turn - 1) known.delete(key);
    known.set(keyOf(run), run);
  }

  return {
    async find(subject) {
      if (resumed) await (read ??= readBack(subject.turn));
      return known.get(keyOf(subject)) ?? null;
    },
    async keep(run) {
      const numbers = await withinLease(() => recordHookRun(db, focus, run), signal);
      remember(run);
      return numbers;
    },
  };
}

function keyOf({ turn, event, callId, hook }: HookSubject): string {
  return JSON.stringify([turn, event, callId, hook]);
}
