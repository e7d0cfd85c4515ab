import { globSync, readFileSync } from 'node:fs';
import { matchesGlob, resolve } from 'node:path';
import { expect, test } from 'vitest';
import config, { ALONE, alsoOn } from '../../vitest.config.ts';
import { bundledHelpers } from './bundled-animus.ts';
import { guessedMs } from './longest-first.ts';
import { reportOf, suspectsOf } from './second-tries.ts';

test('no project has its own exclude, which would override that of npm test', () => {
  const { projects = [] } = config.test ?? {};
  expect(projects).toHaveLength(5);
  for (const project of projects) expect(project).not.toHaveProperty('test.exclude');
});

test('files that mock a module or start OpenTelemetry do not share their process', () => {
  const root = resolve(import.meta.dirname, '../..');
  const files = globSync('tests/!(docker|e2e|package|security)/**/*.test.ts', { cwd: root });
  const changing = files.filter((file) =>
    /^vi\.mock\(|\bstartTelemetry\(/m.test(readFileSync(resolve(root, file), 'utf8')),
  );
  expect(changing.filter((file) => !ALONE.some((pattern) => matchesGlob(file, pattern)))).toEqual([]);
  expect(changing).toHaveLength(8);
});

test('a file that does something else on a wire runs on it', () => {
  const cwd = resolve(import.meta.dirname, '../..');
  for (const wire of ['openai', 'responses'] as const) {
    const differing = globSync('tests/{e2e,engage}/**/*.test.ts', { cwd }).filter((file) =>
      readFileSync(resolve(cwd, file), 'utf8').includes(`WIRE === '${wire}'`),
    );
    expect(differing.length).toBeGreaterThan(1);
    expect(alsoOn(wire)).toEqual(expect.arrayContaining(differing));
  }
  const marked = globSync('tests/**/*.test.ts', { cwd }).filter((file) =>
    readFileSync(resolve(cwd, file), 'utf8').startsWith('// Also on'),
  );
  expect(new Set([...alsoOn('openai'), ...alsoOn('responses')])).toEqual(new Set(marked));
});

test('vitest keeps nothing of a module that starts a helper, because the helper may be another the next time', () => {
  let keyOf: (module: { id: string; sourceCode: string }) => unknown = () => undefined;
  const plugin = bundledHelpers() as unknown as {
    configureVitest(context: { defineCacheKeyGenerator(key: typeof keyOf): void }): void;
  };
  plugin.configureVitest({ defineCacheKeyGenerator: (key) => void (keyOf = key) });
  const id = resolve(import.meta.dirname, '../../src/process/host/supervisor-link.ts');
  expect(keyOf({ id, sourceCode: readFileSync(id, 'utf8') })).toBe(false);
  expect(keyOf({ id, sourceCode: 'export {};' })).toBeNull();
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

test('files that failed, or are among too many second tries, may be run once more, unless they are many', () => {
  expect(suspectsOf([moduleOf(0, 1), moduleOf(1)])).toEqual([]);
  expect(suspectsOf([failedModule('b'), moduleOf(1), failedModule('b')])).toEqual(['b\n']);
  expect(suspectsOf([moduleOf(0, 1), moduleOf(1, 1, 1), failedModule('b')])).toEqual(['a.test.ts\n', 'b\n']);
  expect(suspectsOf(Array.from({ length: 9 }, (_, nth) => failedModule(`${nth}`)))).toEqual([]);
});

function failedModule(relativeModuleId: string) {
  return { ...moduleOf(), relativeModuleId, ok: () => false };
}

function moduleOf(...retryCounts: number[]) {
  const errors = [{ message: 'expected 1 to be 2\nand more' }];
  const tests = retryCounts.map((retryCount) => ({
    fullName: 'name',
    diagnostic: () => ({ retryCount }),
    result: () => ({ errors }),
  }));
  return { relativeModuleId: 'a.test.ts', ok: () => true, children: { allTests: () => tests } };
}
