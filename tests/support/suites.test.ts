import { expect, test } from 'vitest';
import config from '../../vitest.config.ts';
import { guessedMs } from './longest-first.ts';

test('no project has its own exclude, which would override that of npm test', () => {
  const { projects = [] } = config.test ?? {};
  expect(projects).toHaveLength(3);
  for (const project of projects) expect(project).not.toHaveProperty('test.exclude');
});

test('a file with long time-outs runs before one that is merely long', () => {
  const patient = 'test("waits", wait, 400_000);';
  const long = `${'x'.repeat(20_000)} const bytes = 5_000;`;
  expect(guessedMs(patient)).toBeGreaterThan(guessedMs(long));
});
