/** What a daemon does with the items it claims ahead of its free slots. */
import { beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { createHeartbeat } from '../../../src/daemon/control/heartbeat.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';
import { emptyQueue, insertWork, readWork } from '../../store/work/queue-driver.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { heldPlane } from './held-plane.ts';

const pg = testDatabase();
beforeEach(() => emptyQueue(pg.database));

async function insert(count: number, faculty = 'short', priority = 0): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push(await insertWork(pg.database, { faculty, priority }));
  return ids;
}

const isQueued = (id: string) =>
  eventually('it is queued again', async () => ((await readWork(pg.database, id)).state === 'queued' ? true : null));

describe('items that a daemon has claimed ahead', () => {
  test('start one after the other when a slot is free, in the order of the queue, and only then', async () => {
    const { controlPlane, startedIs, heldIs, end } = await heldPlane(pg.database);
    const ids = await insert(3);
    await controlPlane.start();
    await heldIs(3);
    for (let n = 0; n < 3; n++) {
      await startedIs(ids.slice(0, n + 1));
      end(ids[n]!);
    }
    await heldIs(0);
  });

  test('are more when half of them have started, and start after items of higher priority', async () => {
    const { controlPlane, startedIs, heldIs, end } = await heldPlane(pg.database);
    const ids = await insert(7);
    await controlPlane.start();
    await heldIs(5);
    const [urgent] = await insert(1, 'short', 5);
    end(ids[0]!);
    end((await startedIs(ids.slice(0, 2)), ids[1]!));
    // Two of four wait: the refill brings the urgent one, which is next.
    await heldIs(5);
    end((await startedIs(ids.slice(0, 3)), ids[2]!));
    await startedIs([...ids.slice(0, 3), urgent!]);
  });

  test('are given back when their faculty is paused', async () => {
    const { controlPlane, wake, startedIs, heldIs } = await heldPlane(pg.database);
    const ids = await insert(3);
    await controlPlane.start();
    await heldIs(3);
    await pg.database.query(`select animus.pause('short')`);
    wake.ring();
    await heldIs(1);
    await startedIs(ids.slice(0, 1));
    expect(await readWork(pg.database, ids[1]!)).toMatchObject({ state: 'queued', attempts: 0, unstarted_claims: 0 });
  });

  test('are given back when their provider fails', async () => {
    const { controlPlane, heldIs } = await heldPlane(pg.database);
    const ids = await insert(3);
    await controlPlane.start();
    await heldIs(3);
    controlPlane.hold('short', 60_000);
    await heldIs(1);
    await isQueued(ids[2]!);
  });

  test('are given back when the slot stays taken, and are not claimed ahead again before a focus ends', async () => {
    const { controlPlane, wake, passes, heldIs, startedIs, end } = await heldPlane(pg.database);
    const ids = await insert(3);
    await controlPlane.start();
    await heldIs(3);
    passes(1001);
    await heldIs(1);
    await isQueued(ids[1]!);
    wake.ring();
    expect(controlPlane.running.size).toBe(1);
    end(ids[0]!);
    await startedIs(ids.slice(0, 2));
  });

  test('are given back when the daemon drains', async () => {
    const { controlPlane, heldIs, end } = await heldPlane(pg.database);
    const ids = await insert(3);
    await controlPlane.start();
    await heldIs(3);
    const drained = controlPlane.drain();
    await isQueued(ids[2]!);
    end(ids[0]!);
    await drained;
    expect(controlPlane.running.size).toBe(0);
  });

  test('end as cancelled when that is requested, without starting', async () => {
    const { controlPlane, daemonId, heldIs, startedIs } = await heldPlane(pg.database);
    const ids = await insert(3);
    await controlPlane.start();
    await heldIs(3);
    const heartbeat = createHeartbeat({
      db: pg.database,
      clock: systemClock,
      log: silentLog,
      daemonId,
      leaseSeconds: 60,
      running: controlPlane.running,
    });
    await pg.database.query(`select animus.cancel_work($1)`, [ids[1]]);
    await heartbeat.beat();
    await eventually('it is cancelled', async () =>
      (await readWork(pg.database, ids[1]!)).state === 'cancelled' ? true : null,
    );
    await startedIs(ids.slice(0, 1));
  });

  test('start while earlier ones only write their end, at most as many as are claimed ahead', async () => {
    const { controlPlane, startedIs, end } = await heldPlane(pg.database, { ending: true });
    const ids = await insert(9);
    await controlPlane.start();
    // Four write their end, and the fifth keeps its slot.
    await startedIs(ids.slice(0, 5));
    end(ids[4]!);
    await startedIs(ids.slice(0, 6));
  });

  test('leave the slots of other faculties alone: a focus without prefetch keeps its slot until its end is written', async () => {
    const { controlPlane, startedIs, end } = await heldPlane(pg.database, { ending: true });
    const ids = await insert(2, 'long');
    await controlPlane.start();
    await startedIs(ids.slice(0, 1));
    end(ids[0]!);
    await startedIs(ids);
  });

  test('let an item of another faculty have the next free slot when it is next in turn', async () => {
    const { controlPlane, heldIs, startedIs, end, wake } = await heldPlane(pg.database);
    const ids = await insert(3);
    await controlPlane.start();
    await heldIs(3);
    const [long] = await insert(1, 'long', 5);
    await insert(5);
    wake.ring();
    for (let n = 0; n < 3; n++) {
      await startedIs(ids.slice(0, n + 1));
      end(ids[n]!);
    }
    // Nothing was claimed ahead of the long one.
    await startedIs([...ids, long!]);
  });
});
