import { expect, test } from 'vitest';
import { refuseUnservedWork } from '../../../src/cli/scratch/unserved-work.ts';

test('a look at a database that the end of the run closes is no failure; any other is', async () => {
  const end = new AbortController();
  const look = (fails: () => void) => {
    const query = async () => {
      fails();
      throw new Error('closed');
    };
    return refuseUnservedWork({ db: { query } } as never, {} as never, end.signal);
  };
  await expect(look(() => {})).rejects.toThrow('closed');
  await expect(look(() => end.abort())).resolves.toBeUndefined();
});
