/** Promise: a search shows nothing that a command could not read, hangs at nothing, and its memory is bounded, whatever the pattern, the names and the files are. */
import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { globTool } from '../../src/tools/files/search/glob.ts';
import { grepTool } from '../../src/tools/files/search/grep.ts';
import { isolationModes } from '../process/isolation-modes.ts';
import { setUpBench } from '../tools/tool-context.ts';

const SECRET = 'hunter2-3141';
const modes = (await isolationModes()).filter((mode) => mode !== 'uid');

test.each(modes)(
  'in isolation %s, what must not be found is not found, also where ignored files are included',
  async (isolation) => {
    const { call, workspace, outside } = await inIsolation(isolation);
    const hidden = join(workspace, '.animus');
    for (const directory of [hidden, join(outside, 'worktrees/other'), join(workspace, 'src')])
      mkdirSync(directory, { recursive: true });
    for (const file of [join(hidden, 'key'), join(outside, 'worktrees/other/mine.txt'), join(outside, 'plain')])
      writeFileSync(file, `${SECRET}\n`);
    const links: readonly (readonly [string, string])[] = [
      [join(outside, 'worktrees'), 'trees'],
      [join(outside, 'plain'), 'plain'],
      ['/proc/self', 'self'],
      [`/proc/${process.pid}/environ`, 'environ'],
      [hidden, 'src/deep'],
      [join(hidden, 'key'), 'src/key'],
      ['src/loop', 'src/loop'],
      ['..', 'src/up'],
    ];
    for (const [target, name] of links) symlinkSync(target, join(workspace, name));
    execFileSync('mkfifo', [join(workspace, 'src/pipe')]);
    const names = ['-e', '--pre=sh', '$(id)', 'a\nb', 'x'.repeat(255), '\u202etxt', '[a]', '{a,b}', '!n', ' '];
    for (const name of names) writeFileSync(join(workspace, 'src', name), 'found\n');
    writeFileSync(join(workspace, '.gitignore'), 'src/deep\n.animus\n!trees\n*/key\n');
    process.env['SEARCHED'] = SECRET;
    onTestFinished(() => void delete process.env['SEARCHED']);
    for (const path of [
      '.',
      'src',
      'trees',
      'plain',
      'self',
      'environ',
      'src/deep',
      'src/up',
      '.animus',
      '/proc',
      outside,
    ])
      for (const more of [
        {},
        { ignored: true },
        { ignored: true, output: 'files' },
        { ignored: true, multiline: true },
      ]) {
        const { content } = await call(grepTool, { pattern: 'hunter\\d-|SEARCHED', path, ...more });
        expect(content).not.toContain(SECRET);
        expect(content).not.toContain('mine.txt');
      }
    const { content } = await call(globTool, { pattern: '**', ignored: true });
    expect(content).not.toMatch(/mine\.txt|environ|trees|\.animus\/|pipe/);
    const { data } = await call(grepTool, { pattern: 'found', path: 'src', limit: 100 });
    expect((data!() as { matches: unknown[] }).matches).toHaveLength(names.length);
  },
);

test.each(modes)(
  'in isolation %s, a file that is replaced by a link during searches shows nothing',
  async (isolation) => {
    const { call, workspace, outside } = await inIsolation(isolation);
    writeFileSync(join(outside, 'secret'), `${SECRET}\n`);
    writeFileSync(join(workspace, 'real'), 'hunter0-\n');
    symlinkSync(join(outside, 'secret'), join(workspace, 'link'));
    let swaps = 0;
    const swap = setInterval(() => {
      const now = join(workspace, '.now');
      if (swaps++ % 2 === 0) linkSync(join(workspace, 'real'), now);
      else symlinkSync(join(outside, 'secret'), now);
      renameSync(now, join(workspace, 'file'));
    }, 1);
    onTestFinished(() => clearInterval(swap));
    for (let n = 0; n < 25; n++) {
      const { content } = await call(grepTool, { pattern: 'hunter\\d-.*', path: n % 2 === 0 ? '.' : 'file' });
      expect(content).not.toContain(SECRET);
    }
    expect(swaps).toBeGreaterThan(25);
  },
);

test.each([
  '(a|a)*$'.repeat(20),
  '(\\w{1,1000}){1,1000}',
  '((((((a{1,100}){1,100}){1,100}){1,100}){1,100}){1,100})',
  '\\p{L}{1,5000}\\p{N}{1,5000}',
  '(?=(a+))\\1+$',
  `${'('.repeat(300)}a${')'.repeat(300)}`,
  'x'.repeat(1000),
  `(${Array.from({ length: 200 }, (_, n) => `w${n}`).join('|')})+`,
])('a hostile pattern ends, in bounded memory: number %#', async (pattern) => {
  const { call, context, workspace } = await inIsolation('none', 5000);
  writeFileSync(join(workspace, 'a'), `${'a'.repeat(100_000)}\n`.repeat(20));
  const most = { memoryBytes: 512 * 1024 * 1024, processes: 200 };
  context.processes.setLimits(context.workItemId, most);
  const startedAt = performance.now();
  for (const multiline of [false, true]) {
    const { content } = await call(grepTool, { pattern, multiline });
    // More than that ends ripgrep, with these words.
    expect(content).not.toContain('memory');
    expect(Buffer.byteLength(content)).toBeLessThan(100_000);
  }
  expect(performance.now() - startedAt).toBeLessThan(20_000);
});

async function inIsolation(isolation: (typeof modes)[number], timeoutMs = 60_000) {
  const bench = await setUpBench({ isolation, timeoutMs });
  const fileRules = [join(bench.workspace, '.animus'), join(bench.outside, 'worktrees')].map((path) => {
    mkdirSync(path, { recursive: true });
    return { path, access: 'hidden' as const };
  });
  const context = { ...bench.context, fileRules };
  const call = (tool: typeof grepTool | typeof globTool, input: object) => tool.run(tool.input.parse(input), context);
  return { ...bench, context, call };
}
