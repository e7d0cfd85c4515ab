import { expect, test } from 'vitest';
import config from '../../vitest.config.ts';
import { guessedMs } from './longest-first.ts';
import { reportOf } from './second-tries.ts';

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

test('tests that passed only when run again are listed, and more than three of them fail the run', () => {
  expect(reportOf([moduleOf(0, 0)])).toEqual({ text: '', tooMany: false });
  const few = reportOf([moduleOf(0, 1), moduleOf(1, 1)]);
  expect(few.text).toContain('Passed only when run again (3):\n  a.test.ts > name\n    first: expected 1 to be 2\n');
  expect(few.tooMany).toBe(false);
  expect(reportOf([moduleOf(1, 1), moduleOf(1, 1)])).toMatchObject({ tooMany: true });
});

function moduleOf(...retryCounts: number[]) {
  const errors = [{ message: 'expected 1 to be 2\nand more' }];
  const tests = retryCounts.map((retryCount) => ({
    fullName: 'name',
    diagnostic: () => ({ retryCount }),
    result: () => ({ errors }),
  }));
  return { relativeModuleId: 'a.test.ts', children: { allTests: () => tests } };
}
