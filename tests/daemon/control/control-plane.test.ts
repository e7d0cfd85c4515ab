import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Faculty } from '../../../src/catalog/faculty/faculty.ts';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { createWake } from '../../../src/core/lifecycle/wake.ts';
import {
  type ClaimingDaemon,
  type ControlPlane,
  createControlPlane,
} from '../../../src/daemon/control/control-plane.ts';
import type { Queryable } from '../../../src/store/sql/database.ts';
import { completeWork } from '../../../src/store/work/work.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';
import { openTransaction } from '../../store/work/queue-driver.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';

describe('the control plane', () => {
  const pg = testDatabase();

  async function plane(
    overrides: Partial<ClaimingDaemon> & Pick<ClaimingDaemon, 'runFocus' | 'faculties'>,
    beforeStart: (controlPlane: ControlPlane) => void = () => {},
  ) {
    const wake = createWake(systemClock);
    const controlPlane: ControlPlane = createControlPlane({
      db: pg.database,
      clock: systemClock,
      log: silentLog,
      processes: { setDeadline() {} },
      onClaimProblems() {},
      daemonId: randomUUID(),
      wake,
      leaseSeconds: 60,
      settings: () => ({ maxConcurrent: 3, pollSeconds: 0.05, focusHostGraceSeconds: 120 }),
      ...overrides,
    });
    beforeStart(controlPlane);
    await controlPlane.start();
    onTestFinished(() => controlPlane.stop());
    return { controlPlane, wake };
  }

  function named(name: string): () => ReadonlyMap<string, Faculty> {
    const engage = { mode: 'builtin' };
    const faculty = { name, maxConcurrent: null, dedupUntil: 'resolved', recover: { maxAttempts: 3 }, engage };
    return () => new Map([[name, faculty as unknown as Faculty]]);
  }

  it('runs as many foci as it has slots, and claims again when one ends', async () => {
    let running = 0;
    let most = 0;
    const { controlPlane } = await plane({
      faculties: named('crowd'),
      runFocus: async (work) => {
        running += 1;
        most = Math.max(most, running);
        await pg.database.query(`select animus.start_focus($1, $2, 'h', '/tmp', '{}', '', '[]')`, [
          work.id,
          work.leaseToken,
        ]);
        await completeWork(pg.database, work, {}, null);
        running -= 1;
        return 'ended';
      },
    });
    await pg.database.query(`insert into animus.work_items (faculty) select 'crowd' from generate_series(1, 20)`);
    await eventually('all are completed', async () => {
      const [row] = await pg.database.query(
        `select from animus.work_items where faculty = 'crowd' and state = 'completed' having count(*) = 20`,
      );
      return row ?? null;
    });
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(3);
    await expect.poll(() => controlPlane.running.size).toBe(0);
  });

  it('does not claim work of unknown faculties', async () => {
    await plane({ faculties: named('known'), runFocus: async () => 'ended' });
    await pg.database.query(`insert into animus.work_items (faculty) values ('foreign'), ('known')`);
    await eventually('the known one is claimed', async () => {
      const [row] = await pg.database.query(
        `select from animus.work_items where faculty = 'known' and state = 'claimed'`,
      );
      return row ?? null;
    });
    const [foreign] = await pg.database.query(
      `select state, attempts from animus.work_items where faculty = 'foreign'`,
    );
    expect(foreign).toEqual({ state: 'queued', attempts: 0 });
  });

  it('claims nothing for a faculty on hold, and claims again after the hold', async () => {
    const seen: string[] = [];
    const heldUntilMs = systemClock.monotonicMs() + 600;
    await pg.database.query(`insert into animus.work_items (faculty) values ('held')`);
    await plane(
      {
        faculties: named('held'),
        runFocus: async (work) => {
          seen.push(work.id);
          expect(systemClock.monotonicMs()).toBeGreaterThanOrEqual(heldUntilMs);
          return 'ended';
        },
      },
      (controlPlane) => controlPlane.hold('held', heldUntilMs),
    );
    await eventually('it is claimed after the hold', () => (seen.length === 1 ? true : null));
  });

  it('starts work whose insert was open when a slot became free, without a notification and without a poll', async () => {
    const daemonId = randomUUID();
    await pg.database.query(`select animus.register_daemon($1, 'host', 1, '0', 1, '{}', '[]')`, [daemonId]);
    const ends: Record<string, () => void> = {};
    const insert = (tx: Queryable, description: string) =>
      tx.query(`insert into animus.work_items (faculty, description) values ('late', $1)`, [description]);
    await insert(pg.database, 'first');
    const { controlPlane } = await plane({
      daemonId,
      faculties: named('late'),
      settings: () => ({ maxConcurrent: 1, pollSeconds: 3600, focusHostGraceSeconds: 120 }),
      runFocus: async (work) => {
        await new Promise<void>((resolve) => {
          ends[work.description] = resolve;
        });
        await completeWork(pg.database, work, {}, null);
        return 'ended';
      },
    });
    await eventually('the first one runs', () => (ends['first'] ? true : null));
    const open = await openTransaction(pg.database, async (tx) => {
      await insert(tx, 'second');
    });
    ends['first']!();
    await eventually('the daemon is free', async () => {
      const [row] = await pg.database.query('select from animus.daemons where id = $1 and not saturated', [daemonId]);
      return row ?? null;
    });
    expect(controlPlane.running.size).toBe(0);
    await open.end('commit');
    await eventually('the second one runs', () => (ends['second'] ? true : null));
    ends['second']!();
  });

  it('drains: claims nothing more and resolves when all running foci have ended', async () => {
    const release = Promise.withResolvers<'ended'>();
    const { controlPlane } = await plane({
      faculties: named('slow'),
      settings: () => ({ maxConcurrent: 1, pollSeconds: 0.05, focusHostGraceSeconds: 120 }),
      runFocus: () => release.promise,
    });
    await pg.database.query(`insert into animus.work_items (faculty) values ('slow'), ('slow')`);
    await eventually('one runs', () => (controlPlane.running.size === 1 ? true : null));
    let drained = false;
    const draining = controlPlane.drain().then(() => {
      drained = true;
    });
    await pg.database.query('select 1');
    expect(drained).toBe(false);
    release.resolve('ended');
    await draining;
    const [queued] = await pg.database.query(
      `select count(*)::int as n from animus.work_items where faculty = 'slow' and state = 'queued'`,
    );
    expect(queued).toEqual({ n: 1 });
  });

  describe('the cost of the end of a focus', () => {
    /** A control plane that practically never polls, and the statements it sends. */
    async function counted(faculty: Partial<Faculty>, maxConcurrent: number, end: 'parked' | 'ended' = 'ended') {
      const name = `counted-${randomUUID()}`;
      const sent: string[] = [];
      const ends: string[] = [];
      const { wake } = await plane({
        db: {
          ...pg.database,
          query: (sql, params) => {
            sent.push(/animus\.(claim_ready_work|resolve_due_waits)\b/.exec(sql)?.[1] ?? sql);
            return pg.database.query(sql, params);
          },
        },
        settings: () => ({ maxConcurrent, pollSeconds: 60, focusHostGraceSeconds: 120 }),
        faculties: () => new Map([[name, { ...named(name)().get(name)!, ...faculty }]]),
        runFocus: async (work) => {
          await completeWork(pg.database, work, {}, null);
          ends.push(work.id);
          return end;
        },
      });
      const insert = (count: number) =>
        pg.database.query(`insert into animus.work_items (faculty) select $1 from generate_series(1, $2::int)`, [
          name,
          count,
        ]);
      const endsOf = (count: number) => eventually(`${count} have ended`, () => (ends.length === count ? true : null));
      const claimsOf = (count: number) =>
        eventually(`${count} claims`, () =>
          sent.filter((call) => call === 'claim_ready_work').length === count ? true : null,
        );
      await claimsOf(1);
      return { wake, sent, insert, endsOf, claimsOf };
    }

    it('is nothing if its claim left no slot free: one claim per item', async () => {
      const { wake, sent, insert, endsOf, claimsOf } = await counted({}, 3);
      for (let n = 1; n <= 3; n++) {
        await insert(1);
        wake.ring();
        await endsOf(n);
      }
      await claimsOf(4);
      expect(sent).toEqual(['resolve_due_waits', ...Array.from({ length: 4 }, () => 'claim_ready_work')]);
    });

    it('is a claim if all slots were taken', async () => {
      const { wake, insert, endsOf } = await counted({}, 2);
      await insert(7);
      wake.ring();
      await endsOf(7);
    });

    it('is a claim if the faculty has a maximum', async () => {
      const { wake, insert, endsOf } = await counted({ maxConcurrent: 1 }, 3);
      await insert(3);
      wake.ring();
      await endsOf(3);
    });

    it('is a check of the waits if the focus parked', async () => {
      const { wake, sent, insert, endsOf, claimsOf } = await counted({}, 3, 'parked');
      await insert(1);
      wake.ring();
      await endsOf(1);
      await claimsOf(3);
      expect(sent.filter((call) => call === 'resolve_due_waits')).toHaveLength(2);
    });
  });
});
