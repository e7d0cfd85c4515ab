import { expect, test } from 'vitest';
import { pauseFaculty, resumeFaculty } from '../../../../src/store/work/operate.ts';
import { testDatabase } from '../../../support/database.ts';
import { chatSite } from './driven-session.ts';

const target = testDatabase();
const { begun } = chatSite(target);

test('a session says why an answer does not come, and what to do about it', async () => {
  const { session, faculty } = await begun('Is anybody there?');
  await session.sees('no daemon is running; see: animus serve');
  await pauseFaculty(target.database, faculty, 'lunch');
  await session.sees('is paused by');
  await resumeFaculty(target.database, faculty);
  await session.sees('no daemon is running');
  session.type('/quit\r');
  expect(await session.ended).toBe(0);
});
