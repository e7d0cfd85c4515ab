/** The promise: an agent cannot stop the work of others by creating a file where animus would look for a secret. */
import { expect, test, vi } from 'vitest';
import { testDatabase } from '../support/database.ts';
import { scratch } from './commands.ts';
import { bash, startSite } from './scripted-focus.ts';

const target = testDatabase();

test('not with a password file that has two names, or that goes again', async () => {
  const home = scratch();
  vi.stubEnv('HOME', home);
  const site = await startSite(target, {
    calls: [bash(`touch ${home}/.pgpass; ln ${home}/.pgpass ${home}/two`), bash('echo a'), bash('echo b')],
  });
  const { state, outputs } = await site.run();
  vi.unstubAllEnvs();
  expect(state).toBe('completed');
  expect(outputs.at(-1)).toContain('b');
});
