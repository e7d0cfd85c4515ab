/** A control plane whose foci run until the test ends them. */
import { randomUUID } from 'node:crypto';
import { expect, onTestFinished } from 'vitest';
import type { Faculty } from '../../../src/catalog/faculty/faculty.ts';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { createWake } from '../../../src/core/lifecycle/wake.ts';
import { createControlPlane } from '../../../src/daemon/control/control-plane.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { completeWork } from '../../../src/store/work/work.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';
import { eventually } from '../../support/eventually.ts';

export interface PlaneOptions {
  /** A focus only writes its end from its start on; default false. */
  readonly ending?: boolean;
  /** Default 1. */
  readonly slots?: number;
}

/** Creates one for the faculties `short` (prefetch 4), `paced` (prefetch as its pace asks), `long`, and `single` (max_concurrent 1), and registers its daemon. */
export async function heldPlane(database: Database, { ending = false, slots = 1 }: PlaneOptions = {}) {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const closes = new Map<string, () => void>();
  const daemonId = randomUUID();
  await database.query(`select animus.register_daemon($1, 'host', 1, '0', 1, '{}', '[]')`, [daemonId]);
  const faculty = (name: string, prefetch: number | undefined, maxConcurrent: number | null = null) =>
    [
      name,
      {
        name,
        prefetch,
        maxConcurrent,
        dedupUntil: 'resolved',
        recover: { maxAttempts: 3 },
        engage: { mode: 'builtin' },
      } as unknown as Faculty,
    ] as const;
  // Rung by the plane and by the test, never by a timer.
  const wake = createWake({ ...systemClock, sleep: (_ms, signal) => systemClock.sleep(3_600_000, signal) });
  // Stands still, so that a slow machine gives nothing back.
  let nowMs = 1000;
  let claims = 0;
  const controlPlane = createControlPlane({
    db: {
      ...database,
      query(sql, params) {
        if (sql.includes('animus.claim_ready_work')) claims++;
        return database.query(sql, params);
      },
    },
    clock: { ...systemClock, monotonicMs: () => nowMs },
    log: silentLog,
    processes: { setDeadline() {} },
    onClaimProblems() {},
    daemonId,
    wake,
    leaseSeconds: 60,
    settings: () => ({ maxConcurrent: slots, pollSeconds: 3600, focusHostGraceSeconds: 120 }),
    faculties: () =>
      new Map([faculty('short', 4), faculty('paced', undefined), faculty('long', 0), faculty('single', 0, 1)]),
    runFocus: async (work, _faculty, control) => {
      started.push(work.id);
      closes.set(work.id, control.ending);
      if (ending) control.ending();
      await new Promise<void>((resolve) => {
        ends.set(work.id, resolve);
      });
      await completeWork(database, work, {}, null);
      return 'ended';
    },
  });
  onTestFinished(async () => {
    const stopped = controlPlane.stop();
    for (const end of ends.values()) end();
    await stopped;
  });
  return {
    controlPlane,
    daemonId,
    wake,
    claims: () => claims,
    passes: (ms: number) => {
      nowMs += ms;
      wake.ring();
    },
    /** From here on, the focus only writes its end. */
    close: (id: string) => closes.get(id)!(),
    end: (id: string) => ends.get(id)!(),
    startedIs: (ids: readonly string[]) =>
      eventually(`${ids.length} have started`, () => (started.length === ids.length ? true : null)).then(() =>
        expect(started).toEqual(ids),
      ),
    heldIs: (count: number) =>
      eventually(`${count} are held`, () => (controlPlane.running.size === count ? true : null)),
  };
}
