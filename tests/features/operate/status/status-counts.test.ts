/** `animus status` at volume: no state disappears, and no sample is shown as a total. */
import { beforeEach, expect, test } from 'vitest';
import { run } from '../../../cli/run-cli.ts';
import { fillQueue } from '../../../store/work/fill-queue.ts';
import { emptyQueue } from '../../../store/work/queue-driver.ts';
import { testDatabase } from '../../../support/database.ts';

const target = testDatabase();
beforeEach(() => emptyQueue(target.database));

const status = async (...argv: string[]) =>
  (await run(['status', ...argv], { env: { DATABASE_URL: target.connectionString } })).stdout;

test('ended work beyond the newest thousand is a lower bound of each state, also of one that is not among them', async () => {
  await fillQueue(target.database, { resolved: 1100 });
  expect(await status()).toMatch(
    /^Work +1,000\+ completed, 0\+ merged, 0\+ cancelled +\(ended work: newest 1,000 of the last 24 h; dead work: all\)$/m,
  );
  const { states, capped } = JSON.parse(await status('--json')) as { states: object; capped: readonly string[] };
  expect(states).toMatchObject({ completed: 1000, merged: 0, cancelled: 0 });
  expect(capped.toSorted()).toEqual(['cancelled', 'completed', 'merged']);
});

test('ended work that is counted to the last item has no plus', async () => {
  await fillQueue(target.database, { resolved: 12 });
  expect(await status()).toMatch(/^Work +12 completed +\(ended work: last 24 h; dead work: all\)$/m);
});

test('WAITS says where more items wait than were looked at', async () => {
  await fillQueue(target.database, { queued: { engineer: 40, writer: 3 }, scheduled: 60 });
  const waits = (await status()).split('WAITS')[1]!;
  expect(waits).toMatch(/^engineer +queued +3\+ /m);
  expect(waits).toMatch(/^writer +queued +3 /m);
  expect(waits).toMatch(/^noop +scheduled +50\+ /m);
});
