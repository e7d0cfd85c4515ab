/** What a daemon claims while the ends of its foci are on their way to the disk. */
import { beforeEach, describe, expect, test } from 'vitest';
import { emptyQueue, insertWork, readWork } from '../../store/work/queue-driver.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { heldPlane } from './held-plane.ts';

const pg = testDatabase();
beforeEach(() => emptyQueue(pg.database));

async function insert(count: number, faculty = 'long'): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push(await insertWork(pg.database, { faculty }));
  return ids;
}

const isQueued = (id: string) =>
  eventually('it is queued again', async () => ((await readWork(pg.database, id)).state === 'queued' ? true : null));

const hasRoom = (daemonId: string) =>
  eventually('inserts notify the daemon', async () => {
    const [daemon] = await pg.database.query<{ saturated: boolean }>(
      `select saturated from animus.daemons where id = $1`,
      [daemonId],
    );
    return daemon!.saturated ? null : true;
  });

describe('while a focus only writes its end', () => {
  test('the next item is claimed, and starts when the end is written', async () => {
    const { controlPlane, heldIs, startedIs, end } = await heldPlane(pg.database, { ending: true });
    const ids = await insert(3);
    await controlPlane.start();
    for (let n = 0; n < 3; n++) {
      await heldIs(Math.min(2, 3 - n));
      await startedIs(ids.slice(0, n + 1));
      end(ids[n]!);
    }
    await heldIs(0);
  });

  test('the next item is claimed as soon as the focus has done its work', async () => {
    const { controlPlane, heldIs, startedIs, close, end } = await heldPlane(pg.database);
    const ids = await insert(2);
    await controlPlane.start();
    await startedIs(ids.slice(0, 1));
    expect(controlPlane.running.size).toBe(1);
    close(ids[0]!);
    await heldIs(2);
    end(ids[0]!);
    await startedIs(ids);
  });

  test('one claim brings the items of many slots', async () => {
    const { controlPlane, heldIs, startedIs, end, claims } = await heldPlane(pg.database, { ending: true, slots: 4 });
    const ids = await insert(12);
    await controlPlane.start();
    await heldIs(8);
    expect(claims()).toBe(2);
    // While most of them wait for a slot, one more is not worth a claim.
    for (const n of [0, 1, 2]) {
      end(ids[n]!);
      await startedIs(ids.slice(0, 5 + n));
    }
    await heldIs(8);
    expect(claims()).toBe(3);
  });

  test('an item goes back into the queue when the end takes too long, and comes when it is written', async () => {
    const { controlPlane, wake, passes, heldIs, startedIs, end } = await heldPlane(pg.database, { ending: true });
    const ids = await insert(2);
    await controlPlane.start();
    await heldIs(2);
    passes(1001);
    await heldIs(1);
    await isQueued(ids[1]!);
    wake.ring();
    expect(controlPlane.running.size).toBe(1);
    end(ids[0]!);
    await startedIs(ids);
  });

  test('a faculty keeps its maximum, and its next item comes when the end is written', async () => {
    const { controlPlane, daemonId, heldIs, startedIs, end } = await heldPlane(pg.database, { ending: true });
    const ids = await insert(2, 'single');
    await controlPlane.start();
    await startedIs(ids.slice(0, 1));
    await hasRoom(daemonId);
    await heldIs(1);
    end(ids[0]!);
    await startedIs(ids);
  });

  test('a drain gives back what was claimed meanwhile', async () => {
    const { controlPlane, heldIs, end } = await heldPlane(pg.database, { ending: true });
    const ids = await insert(2);
    await controlPlane.start();
    await heldIs(2);
    const drained = controlPlane.drain();
    await isQueued(ids[1]!);
    end(ids[0]!);
    await drained;
  });
});
