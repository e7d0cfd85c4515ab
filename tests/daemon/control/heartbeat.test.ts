import { expect, test } from 'vitest';
import { momentOf, systemClock } from '../../../src/core/lifecycle/clock.ts';
import { createFocusLease } from '../../../src/daemon/control/focus-lease.ts';
import { createHeartbeat } from '../../../src/daemon/control/heartbeat.ts';
import type { RunningFocus } from '../../../src/daemon/control/running-focus.ts';
import { createFocusControl } from '../../../src/daemon/focus/scope/focus-control.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';

const ITEM = 'an-item';

const QUIET = { clock: systemClock, log: silentLog, leaseSeconds: 60 } as const;

function focusWith(leaseToken: string): RunningFocus {
  const work = { id: ITEM, leaseToken } as RunningFocus['work'];
  const control = createFocusControl();
  const means = { ...QUIET, db: null as never, processes: { setDeadline() {} } };
  const lease = createFocusLease(means, work, control, momentOf(systemClock));
  return { work, control, lease, leasedAtMs: systemClock.monotonicMs() };
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
