import { mkdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { globTool } from '../../../../src/tools/files/search/glob.ts';
import { compileGlob, type GlobMatcher } from '../../../../src/tools/files/search/glob-pattern.ts';
import { setUpBench } from '../../tool-context.ts';

test.each([
  ['*.ts', 'a.ts', true],
  ['*.ts', 'deep/down/a.ts', true],
  ['./*.ts', 'a.ts', true],
  ['src/*.ts', 'src/a.ts', true],
  ['src/*.ts', 'src/b/a.ts', false],
  ['src/**/*.ts', 'src/a.ts', true],
  ['src/**/*.ts', 'src/b/c/a.ts', true],
  ['src/**', 'src/b/c', true],
  ['src/**', 'lib/b', false],
  ['**/b/**/d', 'a/b/c/b/d', true],
  ['**', 'any/thing', true],
  ['*', '.hidden', true],
  ['?.ts', '😀.ts', true],
  ['[a-c]?.{ts,js}', 'b1.js', true],
  ['[!a-c].ts', 'b.ts', false],
  ['[]].ts', '].ts', true],
  ['{src,lib/{x,y}}/*', 'lib/y/z', true],
  ['a\\*b', 'a*b', true],
  ['a\\*b', 'axb', false],
  ['[a', '[a', true],
  ['{a', '{a', true],
  ['a{b}', 'a{b}', true],
  ['a**b', 'aXb', true],
  ['', 'a', false],
  ['!a', 'b', false],
  ['!a', '!a', true],
  ['#a', '#a', true],
  ['+(a)', 'aa', false],
  ['a{1..3}', 'a2', true],
  ['src/a/**', 'src/a', false],
])('%s on %s is %s', (pattern, path, expected) => {
  expect((compileGlob(pattern) as GlobMatcher)(path)).toBe(expected);
});

test('no pattern can stall it', () => {
  const startedAt = performance.now();
  expect((compileGlob(`${'*a'.repeat(200)}b`) as GlobMatcher)('a'.repeat(250))).toBe(false);
  expect((compileGlob(`${'**/a/'.repeat(100)}b`) as GlobMatcher)('a/'.repeat(1000))).toBe(false);
  for (const part of ['*[ab]', '*?', '*a?', '**/*a*/', '*é*😀'])
    expect((compileGlob(`${part.repeat(40)}c`) as GlobMatcher)('aé😀/'.repeat(100))).toBe(false);
  for (const many of [
    '{a,b}'.repeat(30),
    '{a,b}/'.repeat(9),
    `{${Array.from({ length: 257 }, (_, n) => `x${n}`).join(',')}}`,
  ])
    expect(compileGlob(many)).toHaveProperty('refusal');
  expect((compileGlob('{1..99999999}') as GlobMatcher)('77')).toBe(true);
  expect(performance.now() - startedAt).toBeLessThan(1000);
});

test('finds files in order of their names or times, without links, .git and node_modules', async () => {
  const { call, workspace, outside } = await setUpBench();
  for (const file of [
    'b.ts',
    'src/a.ts',
    'src/deep/é.ts',
    '.hidden/x.ts',
    'c.md',
    '.git/x.ts',
    'node_modules/m/x.ts',
  ]) {
    await mkdir(dirname(join(workspace, file)), { recursive: true });
    await writeFile(join(workspace, file), '');
  }
  await writeFile(join(outside, 'secret.ts'), '');
  await symlink(outside, join(workspace, 'door'));
  await symlink(join(outside, 'secret.ts'), join(workspace, 'link.ts'));
  expect((await call(globTool, { pattern: '*.ts' })).content).toBe(
    '.hidden/x.ts\nb.ts\nsrc/a.ts\nsrc/deep/é.ts\n' +
      '[left out as ignored or generated: node_modules (1 file; 1 matches: node_modules/m/x.ts); ignored = true includes them]',
  );
  await utimes(join(workspace, 'b.ts'), 1e9, 1e9);
  await utimes(join(workspace, 'src/a.ts'), 2e9, 2e9);
  expect((await call(globTool, { pattern: '*.ts', sort: 'time' })).content).toMatch(/^src\/a\.ts\n(?:.*\n){2}b\.ts\n/);
  expect((await call(globTool, { pattern: '*.ts', path: 'src' })).content).toBe('src/a.ts\nsrc/deep/é.ts');
  expect((await call(globTool, { pattern: '*.rs', path: 'src' })).content).toBe('[no file matches *.rs]');
  for (const path of ['..', 'door', 'missing', 'c.md'])
    expect(await call(globTool, { pattern: '*', path })).toMatchObject({ isError: true });
});
