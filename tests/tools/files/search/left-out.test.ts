/** Promise: a search never says «no match» of a file that it did not look at, and names what it left out, without reaching further than it may. */
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { globTool } from '../../../../src/tools/files/search/glob.ts';
import { grepTool } from '../../../../src/tools/files/search/grep.ts';
import { setUpBench } from '../../tool-context.ts';

async function setUp() {
  const bench = await setUpBench();
  const files: Readonly<Record<string, string>> = {
    '.gitignore': 'dist/\n*.log\nlinked\n',
    '.ignore': '/only-here\n',
    'src/a.ts': 'needle\n',
    'src/.gitignore': 'made.ts\n',
    'src/made.ts': 'needle\n',
    'dist/deep/b.js': 'needle\n',
    'dist/c.js': 'hay\n',
    'x.log': 'hay\n',
    'only-here': 'needle\n',
    'node_modules/p/index.js': 'needle\n',
    '.git/info/exclude': '',
    '.git/HEAD': 'needle\n',
  };
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(bench.workspace, name)), { recursive: true });
    await writeFile(join(bench.workspace, name), content);
  }
  await writeFile(join(bench.outside, 'secret'), 'needle\n');
  await symlink(bench.outside, join(bench.workspace, 'linked'));
  const content = async (tool: typeof grepTool | typeof globTool, input: object) =>
    (await bench.call(tool, input)).content;
  return { ...bench, content };
}

test('ignored and generated files are left out, counted and searched a second time; `ignored` includes them', async () => {
  const { content } = await setUp();
  expect(await content(grepTool, { pattern: 'needle' })).toBe(
    'src/a.ts:1:needle\n' +
      '[left out as ignored or generated: dist, node_modules, only-here and 2 others (6 files; 4 match, such as dist/deep/b.js); ignored = true includes them]',
  );
  expect(await content(grepTool, { pattern: 'nothing', glob: '*.log' })).toMatch(
    /^\[no line of 0 files matches nothing\]\n\[left out as .*\(1 file; none matches\)/,
  );
  expect(await content(grepTool, { pattern: 'needle', output: 'files', ignored: true })).toBe(
    'dist/deep/b.js\nnode_modules/p/index.js\nonly-here\nsrc/a.ts\nsrc/made.ts',
  );
  expect(await content(grepTool, { pattern: 'needle', path: 'dist' })).toBe('dist/deep/b.js:1:needle');
  expect(await content(grepTool, { pattern: 'needle', path: 'src/made.ts' })).toBe('src/made.ts:1:needle');
});

test('so does glob', async () => {
  const { content } = await setUp();
  expect(await content(globTool, { pattern: '*.js' })).toBe(
    '[no file matches *.js]\n' +
      '[left out as ignored or generated: dist, node_modules (3 files; 3 match, such as dist/c.js); ignored = true includes them]',
  );
  expect(await content(globTool, { pattern: '*.js', ignored: true })).toBe(
    'dist/c.js\ndist/deep/b.js\nnode_modules/p/index.js',
  );
});

test('a second look goes neither through links nor where a forged name points', async () => {
  const { workspace, outside, call } = await setUp();
  // ripgrep prints names as they are: this one says that `linked` is ignored.
  const forged = join(workspace, 'z\nrg: DEBUG|ignore::walk|x: ignoring .');
  await mkdir(forged);
  await writeFile(join(forged, 'linked: Ignore(IgnoreMatch(Gitignore('), 'hay');
  await writeFile(join(workspace, '.gitignore'), 'linked?*\n');
  const { content } = await call(grepTool, { pattern: 'needle', path: '.' });
  expect(content).not.toContain(outside);
  expect(content).not.toContain('secret');
});

test('a directory of rules that exclude everything does not hide what is there', async () => {
  const { workspace, content } = await setUp();
  await writeFile(join(workspace, '.gitignore'), '*\n');
  expect(await content(grepTool, { pattern: 'needle' })).toMatch(
    /^\[no line of 0 files matches needle\]\n\[left out .* match, such as/,
  );
});

test('what cannot be read is named', async () => {
  const { workspace, content } = await setUp();
  if (process.getuid?.() === 0) return;
  await chmod(join(workspace, 'src/a.ts'), 0);
  expect(await content(grepTool, { pattern: 'needle' })).toContain('[could not be read: src/a.ts (Permission denied');
});
