/** A claim does not wait for the disk: a claim lost in a crash of the server must not result in two owners. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { completeWork } from '../../../src/store/work/work.ts';
import { crashableDatabase, crashServer, keepCommitsInMemory } from '../../support/server-crash.ts';
import { claim, faculties, insertWork, startFocus } from './queue-driver.ts';

const target = crashableDatabase();

test('a claim that was lost in a server crash holds nothing, and its token is not issued again', async () => {
  const FACULTIES = faculties('clerk');
  const id = await insertWork(target.database, { faculty: 'clerk' });
  await keepCommitsInMemory(target.database);
  const [forgotten] = await claim(target.database, 1, FACULTIES, randomUUID());
  await crashServer(target.database);

  // The test proves nothing unless the crash really lost the claim.
  expect(await target.database.query('select state, attempts from animus.work_items')).toEqual([
    { state: 'queued', attempts: 0 },
  ]);
  const [again] = await claim(target.database, 1, FACULTIES, randomUUID());
  expect([forgotten!.id, again!.id]).toEqual([id, id]);
  expect(again!.leaseToken).not.toBe(forgotten!.leaseToken);
  await expect(startFocus(target.database, forgotten!)).rejects.toMatchObject({ code: 'work.lease_lost' });
  await expect(completeWork(target.database, forgotten!, {}, null)).rejects.toMatchObject({ code: 'work.lease_lost' });
  await completeWork(target.database, again!, {}, null);
});
