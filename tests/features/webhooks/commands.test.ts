import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { run } from '../../cli/run-cli.ts';
import { testDatabase } from '../../support/database.ts';
import { addHookTo } from './fixtures.ts';

const target = testDatabase();

test('a test that no daemon sends in time was not delivered, and says no more', async () => {
  const id = await addHookTo(target.database, 'https://example.com/hook');
  let now = systemClock.monotonicMs();
  const clock = vi.spyOn(systemClock, 'monotonicMs').mockImplementation(() => (now += 15_000));
  onTestFinished(() => clock.mockRestore());
  const { code, stdout } = await run(['webhook', 'test', id, '--json'], {
    env: { DATABASE_URL: target.connectionString },
  });
  expect({ code, told: JSON.parse(stdout) }).toEqual({
    code: 1,
    told: { id, delivered: false, status: null, error: null },
  });
});
