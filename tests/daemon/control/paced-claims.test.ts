/** What a daemon claims ahead by itself, for faculties whose file does not say. */
import { beforeEach, describe, expect, test } from 'vitest';
import { emptyQueue, insertWork, readWork } from '../../store/work/queue-driver.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { heldPlane } from './held-plane.ts';

const pg = testDatabase();
beforeEach(() => emptyQueue(pg.database));

async function insert(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push(await insertWork(pg.database, { faculty: 'paced' }));
  return ids;
}

const isQueued = (id: string) =>
  eventually('it is queued again', async () => ((await readWork(pg.database, id)).state === 'queued' ? true : null));

/** Runs foci until so many have ended within the same moment: the clock stands still. */
async function pacedPlane(count: number, more: number) {
  const plane = await heldPlane(pg.database);
  const ids = await insert(count + 1 + more);
  await plane.controlPlane.start();
  for (let n = 0; n < count; n++) {
    await plane.startedIs(ids.slice(0, n + 1));
    plane.end(ids[n]!);
  }
  await plane.startedIs(ids.slice(0, count + 1));
  return { ...plane, ids };
}

describe('items of a faculty whose foci are short', () => {
  test('are claimed ahead as far as foci have just ended, and not at first', async () => {
    const { controlPlane, startedIs, heldIs, end } = await heldPlane(pg.database);
    const ids = await insert(9);
    await controlPlane.start();
    await startedIs(ids.slice(0, 1));
    expect(controlPlane.running.size).toBe(1);
    end(ids[0]!);
    await startedIs(ids.slice(0, 2));
    await heldIs(2);
    end(ids[1]!);
    await startedIs(ids.slice(0, 3));
    await heldIs(3);
  });

  test('are given back after a quarter of a second in which nothing ends, and are not claimed ahead again before foci end', async () => {
    const { controlPlane, wake, heldIs, passes, ids } = await pacedPlane(3, 5);
    await eventually('some wait', () => (controlPlane.running.size > 1 ? true : null));
    passes(251);
    await heldIs(1);
    for (const id of ids.slice(4)) {
      await isQueued(id);
      expect(await readWork(pg.database, id)).toMatchObject({ attempts: 0, unstarted_claims: 0 });
    }
    wake.ring();
    await heldIs(1);
  });

  test('are left to another daemon that has a free slot', async () => {
    const plane = await heldPlane(pg.database);
    await pg.database.query(
      `select animus.register_daemon('0190a000-0000-7000-8000-000000000001', 'other', 1, '0', 1, '{"paced": {}}', '[]')`,
    );
    const ids = await insert(6);
    await plane.controlPlane.start();
    for (let n = 0; n < 5; n++) {
      await plane.startedIs(ids.slice(0, n + 1));
      expect(plane.controlPlane.running.size).toBe(1);
      plane.end(ids[n]!);
    }
    await plane.startedIs(ids);
  });
});
