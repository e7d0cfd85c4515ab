import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pack, ROOT } from './tarball.ts';

test('the package contains everything that it needs to run, and nothing else', { timeout: 60_000 }, async () => {
  const paths = (await pack()).files.map(({ path }) => path);
  const ran = git('src', ':!src/console').map((path) => path.replace(/^src\//, 'dist/').replace(/\.ts$/, '.js'));
  const expected = [
    ...ran.filter((path) => path !== 'dist/animus.js'),
    'src/animus.js',
    'dist/store/embedded/prepared-database.zst',
    ...git(
      'migrations',
      'docker/browser',
      'docker/sandbox',
      'faculties',
      'skills',
      ':(glob)docs/*.md',
      'LICENSE',
      'README.md',
      'CHANGELOG.md',
      'package.json',
    ),
  ];
  const typesAndMaps = /^dist\/.*\.(d\.ts|js\.map)$/;
  const page = /^dist\/console\/(index\.html|icon\.svg|agent-gate\.js|assets\/[\w.-]+-[\w-]{8}\.(js|css))$/;
  expect(paths).toContain('dist/console/index.html');
  const program = /^dist\/program\/(main|[\w.-]+-[\w-]{8})\.js$|^dist\/program\/licenses\.txt$/;
  expect(paths.filter((path) => ![typesAndMaps, program, page].some((each) => each.test(path))).toSorted()).toEqual(
    expected.toSorted(),
  );
  // The demo's own test is the one that its agent makes pass.
  const tests = paths.filter((path) => /\.(test|spec)\.|(^|\/)(tests?|fixtures)\//.test(path));
  expect(tests).toEqual(['dist/cli/demo/workspace/test/calendar.test.js']);
});

test('each JavaScript file has its types and a source map that names no directory of this machine', {
  timeout: 60_000,
}, async () => {
  const maps = globSync('dist/**/*.js.map', { cwd: ROOT });
  expect(maps.length).toBe(git('src', ':!src/console').filter((path) => path.endsWith('.ts')).length);
  for (const map of maps) {
    const { sources, sourcesContent, sourceRoot } = JSON.parse(read(map)) as Record<string, string | string[]>;
    expect(sourceRoot ?? '').toBe('');
    expect(sources).toEqual([expect.stringMatching(/^(\.\.\/)+src\/.*\.ts$/)]);
    expect(sourcesContent, 'the source itself is not packed').toEqual([expect.any(String)]);
    expect(read(map.replace(/\.js\.map$/, '.d.ts'))).not.toBe('');
  }
  const packed = (await pack()).files.map(({ path }) => path);
  expect(packed.filter((path) => read(path).includes(ROOT))).toEqual([]);
});

test('the program in few files loads what most commands need from one, and has the licenses of what is part of it', () => {
  const parts = globSync('dist/program/*.js', { cwd: ROOT });
  for (const name of ['terminal', 'catalog'])
    expect(parts.filter((path) => path.includes(`/${name}-`))).toHaveLength(1);
  const [terminal = ''] = parts.filter((path) => path.includes('/terminal-'));
  // Node reads all exports of its own modules that are imported.
  expect(
    read(terminal)
      .match(/^import .*$/gm)
      ?.filter((line) => !line.includes('"./')),
  ).toEqual(['import { createRequire } from "node:module";']);
  for (const name of ['commander', 'pg', 'zod'])
    expect(read('dist/program/licenses.txt')).toMatch(new RegExp(`^${name} \\d`, 'm'));
});

test('there is no import left that only works in a clone', () => {
  for (const file of globSync('dist/**/*.js', { cwd: ROOT, exclude: ['dist/cli/demo/**'] })) {
    expect(read(file), file).not.toMatch(/(?:from|import\() ?['"]\.[^'"]*\.ts['"]/);
  }
});

function git(...paths: string[]): string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...paths], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return listed.split('\0').filter((path) => path !== '');
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}
