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
