import { expect, test } from 'vitest';
import config from '../../vitest.config.ts';
import { guessedMs } from './longest-first.ts';

test('no project has an exclude, which would put that of npm test out of force', () => {
  const { projects = [] } = config.test ?? {};
  expect(projects).toHaveLength(2);
  for (const project of projects) expect(project).not.toHaveProperty('test.exclude');
});

test('a file that gives its tests time goes before one that is merely long', () => {
  const patient = 'test("waits", wait, 400_000);';
  const long = `${'x'.repeat(20_000)} const bytes = 5_000;`;
  expect(guessedMs(patient)).toBeGreaterThan(guessedMs(long));
});
