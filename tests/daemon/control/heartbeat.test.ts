import { expect, test } from 'vitest';
import { momentOf, systemClock } from '../../../src/core/lifecycle/clock.ts';
import type { RunningFocus } from '../../../src/daemon/control/focus-lease.ts';
import { createFocusLease } from '../../../src/daemon/control/focus-lease.ts';
import { createHeartbeat } from '../../../src/daemon/control/heartbeat.ts';
import { createFocusControl } from '../../../src/daemon/focus/scope/focus-control.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';

const ITEM = 'an-item';

const QUIET = { clock: systemClock, log: silentLog, leaseSeconds: 60 } as const;

function focusWith(leaseToken: string, agoMs = 0): RunningFocus {
  const work = { id: ITEM, leaseToken } as RunningFocus['work'];
  const control = createFocusControl();
  const now = momentOf(systemClock);
  const claimed = { monotonicMs: now.monotonicMs - agoMs, wallMs: now.wallMs - agoMs };
  const means = { ...QUIET, db: null as never, processes: { setDeadline() {} } };
  const lease = createFocusLease(means, work, control, claimed);
  return { work, control, lease };
}

function heartbeatOf(running: ReadonlyMap<string, RunningFocus>, query: () => Promise<object[]>) {
  return createHeartbeat({
    ...QUIET,
    db: { query } as unknown as Database,
    daemonId: 'a-daemon',
    running,
  });
}

test('a report about a released lease does not affect a newer lease on the same item', async () => {
  const [before, since] = [focusWith('1'), focusWith('2')];
  const running = new Map([[ITEM, before]]);
  const heartbeat = heartbeatOf(running, async () => {
    // Released and claimed again while the statement is in flight.
    running.set(ITEM, since);
    return [{ workItemId: ITEM, held: false, cancelRequested: false }];
  });
  await heartbeat.beat();
  expect(since.control.signal.aborted).toBe(false);
});

test('a report about the current lease of a focus stops it', async () => {
  const focus = focusWith('1');
  const report = { workItemId: ITEM, held: false, cancelRequested: false };
  await heartbeatOf(new Map([[ITEM, focus]]), async () => [report]).beat();
  expect(focus.control.signal.aborted).toBe(true);
});

test('a row that somebody keeps locked is named once, when less than a third of its lease is left', async () => {
  const lines: object[] = [];
  const focus = focusWith('1', 45_000);
  const heartbeat = createHeartbeat({
    ...QUIET,
    log: { ...silentLog, warn: (fields: object) => void lines.push(fields) },
    db: {
      // No row is renewed; what is left of the lease is read.
      query: async (sql: string) =>
        sql.includes('leases_left') ? [{ workItemId: ITEM, cancelRequested: false, seconds: 15, lockedBy: 4711 }] : [],
    } as unknown as Database,
    daemonId: 'a-daemon',
    running: new Map([[ITEM, focus]]),
  });
  await heartbeat.beat();
  await heartbeat.beat();
  expect(lines).toEqual([{ work_item_id: ITEM, locked_by: 4711, seconds_left: expect.any(Number) }]);
});
