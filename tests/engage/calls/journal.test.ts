import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createJournal } from '../../../src/engage/calls/journal.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import type { CallResult } from '../../../src/store/transcript/calls.ts';

test('ends that another write has recorded are handed to each further one until they are durable', async () => {
  const journal = createJournal({} as Database, { workItemId: 'w', focusId: 'f', leaseToken: '1' });
  const ended = (callId: string) => journal.add({ callId } as CallResult);
  const handed = async (problem?: Error) => {
    let ids: readonly string[] = [];
    const writing = journal.handOver(async (results) => {
      ids = results.map(({ callId }) => callId);
      if (problem) throw problem;
    });
    await writing.catch(() => {});
    return ids;
  };
  ended('a');
  expect(await handed(new Error('the connection was lost'))).toEqual(['a']);
  expect(await handed()).toEqual(['a']);
  ended('b');
  expect(await handed()).toEqual(['a', 'b']);
  journal.kept();
  expect(await handed()).toEqual([]);
});

test('a write of its own overlaps with no other, and what was added meanwhile follows', async () => {
  const order: string[] = [];
  let open = 0;
  const write = async (name: string) => {
    open += 1;
    expect(open).toBe(1);
    order.push(name);
    await setImmediate();
    open -= 1;
    return [{ value: 1 }];
  };
  const db = { query: () => write('ends'), values: () => write('ends') } as unknown as Database;
  const journal = createJournal(db, { workItemId: 'w', focusId: 'f', leaseToken: '1' });
  const ended = (callId: string) => journal.add({ callId, durationMs: 1 } as CallResult);
  ended('a');
  await setImmediate();
  const alone = ['one', 'two'].map((name) => journal.alone(() => write(name)));
  ended('b');
  await Promise.all(alone);
  ended('c');
  await journal.flush(new AbortController().signal);
  expect(order).toEqual(['ends', 'ends', 'one', 'two', 'ends']);
  await expect(journal.alone(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await journal.alone(async () => 'still')).toBe('still');
});
