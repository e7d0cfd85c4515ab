import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findProgram } from '../../../../src/process/find-program.ts';
import { grepTool } from '../../../../src/tools/files/search/grep.ts';
import { grepFiles } from '../../../../src/tools/files/search/grep-files.ts';
import { filesToSearch } from '../../../../src/tools/files/search/ripgrep.ts';
import { type Bench, setUpBench } from '../../tool-context.ts';
import { generator, randomPattern, randomText } from './random-patterns.ts';

// Install ripgrep to run these: apt-get install ripgrep.
const hasRipgrep = findProgram('rg', process.env['PATH'] ?? '', '/') !== null;

describe.skipIf(!hasRipgrep)('with ripgrep', () => {
  test('finds the same as without, in any kind of file', async () => {
    const bench = await makeTree();
    const random = generator(7);
    const patterns = [
      'needle',
      'nee.le',
      'needle$',
      'NEEDLE',
      'gr.{1,2}n needle',
      'no such text',
      'a\\(b\\)\\[c\\]',
      '<needle>',
      '#needle~&-',
    ];
    for (let round = 0; round < 60; round++) patterns.push(randomPattern(random));
    let helped = 0;
    for (const [index, pattern] of patterns.entries()) {
      const what = { pattern, path: index % 5 === 4 ? 'link' : '.', ignoreCase: index % 3 === 1 };
      const only = await filesToSearch(what, 10_000, bench.context);
      if (only !== null) helped++;
      const request = {
        ...what,
        workspace: bench.workspace,
        fileRules: [],
        glob: index % 7 === 6 ? '*.txt' : null,
        maxMatches: 20,
        maxLineChars: 300,
      };
      const [withIt, without] = [await grepFiles({ ...request, only }), await grepFiles(request)];
      expect(withIt, pattern).toEqual(without);
    }
    expect(helped).toBeGreaterThan(10);
  });

  test('lists only files that may contain a match, and binary files', async () => {
    const bench = await makeTree();
    const only = await filesToSearch({ pattern: 'needle\\d', path: '.', ignoreCase: false }, 10_000, bench.context);
    expect(only?.toSorted()).toEqual([
      '.hidden',
      '.ignored/x.txt',
      'binary',
      'deep/down/a.txt',
      'huge',
      'latin.txt',
      'odd\nname',
      'utf16',
    ]);
  });

  test('is used for a tree of hundreds of files', async () => {
    const { call, workspace } = await setUpBench();
    for (let n = 0; n < 300; n++) await writeFile(join(workspace, `${n}.txt`), n === 123 ? 'the needle\n' : 'hay\n');
    const { content, details } = await call(grepTool, { pattern: 'the needle' });
    expect(content).toBe('123.txt:1:the needle');
    expect(details).toMatchObject({ matches: 1, files: 300 });
  });
});

test('without ripgrep the search still works', async () => {
  const bench = await setUpBench();
  await writeFile(join(bench.workspace, 'a'), 'needle\n');
  const path = process.env['PATH'];
  process.env['PATH'] = '/nonexistent';
  try {
    expect(await filesToSearch({ pattern: 'needle', path: '.', ignoreCase: false }, 1000, bench.context)).toBeNull();
    expect((await bench.call(grepTool, { pattern: 'needle' })).content).toBe('a:1:needle');
  } finally {
    process.env['PATH'] = path;
  }
});

/** Everything that the two searches could see differently. */
async function makeTree(): Promise<Bench> {
  const bench = await setUpBench();
  const { workspace } = bench;
  const at = (name: string) => join(workspace, name);
  for (const directory of ['deep/down', '.git', 'node_modules/p', '.ignored'])
    await mkdir(at(directory), { recursive: true });
  const files: Record<string, string | Buffer> = {
    'deep/down/a.txt': 'one\nneedle\r\n<needle> #needle~&-\n a(b)[c]\n',
    'deep/.gitignore': '*\n',
    '.ignore': 'deep\n',
    '.hidden': 'needle\n',
    '.git/config': 'needle\n',
    'node_modules/p/index.js': 'needle\n',
    '.ignored/x.txt': '\uFEFFneedle',
    binary: 'needle\0',
    utf16: Buffer.from('\uFEFFneedle', 'utf16le'),
    'latin.txt': Buffer.from('gr\xfcn needle \xff', 'latin1'),
    'odd\nname': 'needle',
    empty: '',
    huge: 'needle',
  };
  const random = generator(3);
  for (let n = 0; n < 20; n++)
    files[`r${n}.txt`] = Array.from({ length: 5 }, () => randomText(random, 'abcab')).join('\n');
  for (const [name, content] of Object.entries(files)) await writeFile(at(name), content);
  await truncate(at('huge'), 11 * 1024 * 1024);
  await symlink('deep', at('link'));
  return bench;
}
