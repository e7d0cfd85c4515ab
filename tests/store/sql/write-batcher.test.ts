/** Promise: writes that arrive while a statement is running share the next one, and each gets its own result. */
import { expect, test } from 'vitest';
import { AnimusError } from '../../../src/core/errors/errors.ts';
import { batchWrites } from '../../../src/store/sql/write-batcher.ts';

/** A batcher whose statements end when the test says so. */
function setUp(most: number) {
  const sent: { batch: readonly number[]; end: PromiseWithResolvers<readonly string[]> }[] = [];
  const arrivals: (() => void)[] = [];
  const write = batchWrites((batch: readonly number[]) => {
    const end = Promise.withResolvers<readonly string[]>();
    sent.push({ batch, end });
    arrivals.shift()?.();
    return end.promise;
  }, most);
  const nextStatement = () => new Promise<void>((resolve) => arrivals.push(resolve));
  const succeed = (n: number) => sent[n]!.end.resolve(sent[n]!.batch.map((value) => `done ${value}`));
  return { write, sent, nextStatement, succeed };
}

test('writes of one moment share a statement, those that arrive while it runs share the next ones', async () => {
  const { write, sent, nextStatement, succeed } = setUp(2);
  const first = nextStatement();
  const results = [write(1), write(2)];
  await first;
  results.push(write(3), write(4), write(5));
  for (const n of [0, 1, 2]) {
    const next = n < 2 ? nextStatement() : null;
    succeed(n);
    await next;
  }
  expect(await Promise.all(results)).toEqual(['done 1', 'done 2', 'done 3', 'done 4', 'done 5']);
  expect(sent.map(({ batch }) => batch)).toEqual([[1, 2], [3, 4], [5]]);
});

test('a lost connection fails every write of the statement once, and none after it', async () => {
  const { write, sent, nextStatement, succeed } = setUp(10);
  const first = nextStatement();
  const results = Promise.allSettled([write(1), write(2)]);
  await first;
  const lost = new AnimusError('db.unreachable', { where: 'here', detail: 'gone', hint: '' });
  sent[0]!.end.reject(lost);
  expect(await results).toEqual([
    { status: 'rejected', reason: lost },
    { status: 'rejected', reason: lost },
  ]);
  const next = nextStatement();
  const later = write(3);
  await next;
  succeed(1);
  expect(await later).toBe('done 3');
  expect(sent).toHaveLength(2);
});
