/**
 * Compares the tool `grep` with ripgrep called by hand: `npm run bench -- tests/bench/tools/packages.ts [NAME@VERSION …]`. Packs ten public packages of npm (or the
 * named ones), each with an ignore file, and searches each for the same patterns, without and with ignored files. Prints how many lines both have found, and each
 * that only one of them has; exit code 1 if there is one.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { rgPath } from '@vscode/ripgrep';
import { grepTool } from '../../../src/tools/files/search/grep.ts';
import { report } from '../support/report.ts';
import { call, openToolBench } from './tool-bench.ts';

const PACKAGES = [
  'lodash@4.17.21',
  'typescript@5.9.3',
  'rxjs@7.8.2',
  'react-dom@19.2.0',
  'date-fns@4.1.0',
  'three@0.180.0',
  'core-js@3.46.0',
  '@types/node@24.9.1',
  'highlight.js@11.11.1',
  'monaco-editor@0.54.0',
];
/** What a project might ignore. */
const IGNORED = 'dist/\n*.min.js\n*.map\n!keep.map\n/esm\n**/locale/de*\n';

interface Search {
  readonly pattern: string;
  readonly options?: { readonly ignore_case?: true; readonly multiline?: true; readonly type?: string };
  /** The same for ripgrep. */
  readonly flags?: readonly string[];
}
const SEARCHES: readonly Search[] = [
  { pattern: 'TODO' }, // a plain word that nearly every package has; nothing is left to do here
  { pattern: 'function\\s+\\w+\\(' },
  { pattern: '^export default' },
  { pattern: '^\\s*\\}\\);$' },
  { pattern: 'error', options: { ignore_case: true }, flags: ['-i'] },
  { pattern: '\\bthis\\.\\w+ = null\\b' },
  { pattern: '(?<!un)known' },
  { pattern: '(\\w{4,}) \\1' },
  { pattern: '[äöüß…→]' },
  { pattern: '^#|#$' },
  { pattern: 'https?://[^\\s"\')]+' },
  { pattern: '\\p{Lu}{5,}' },
  { pattern: '\\{\\s*\\n\\s*return', options: { multiline: true }, flags: ['-U'] },
  { pattern: 'import', options: { type: 'ts' }, flags: ['-t', 'ts'] },
  { pattern: 'there is surely no such text' },
];
/** What the tool does beside: hidden files, but not .git; ignore files without a repository; look-around; CRLF; binary files are named. */
const BY_HAND =
  '--no-config --hidden --no-require-git --no-ignore-global -g !.git --engine=auto --crlf --no-heading --with-filename --line-number --null --color=never --no-messages'.split(
    ' ',
  );

const { positionals } = parseArgs({ allowPositionals: true });
const { root, contextIn, close } = await openToolBench();
const sum = { equal: 0, different: 0 };
try {
  for (const name of positionals.length > 0 ? positionals : PACKAGES) await comparePackage(name);
} finally {
  await close();
}
console.log(`${sum.equal} lines are the same, ${sum.different} are not`);
if (sum.different > 0) process.exitCode = 1;

async function comparePackage(name: string): Promise<void> {
  const workspace = unpack(name);
  const files =
    execFileSync(rgPath, ['--files', '-uu', '.'], { cwd: workspace, encoding: 'utf8' }).split('\n').length - 1;
  const found = { equal: 0, different: 0 };
  for (const search of SEARCHES) {
    for (const ignored of [false, true]) {
      const ours = await byTool(search, ignored, workspace);
      const theirs = byHand(search, ignored, workspace);
      const differing = [...only(ours, theirs, 'only the tool'), ...only(theirs, ours, 'only ripgrep')];
      found.equal += [...ours].filter((line) => theirs.has(line)).length;
      found.different += differing.length;
      for (const line of differing.slice(0, 3)) console.log(`  ${search.pattern} (ignored = ${ignored}): ${line}`);
    }
  }
  console.log(`${name.padEnd(24)} ${files} files   ${found.equal} lines are the same, ${found.different} are not`);
  const figures = { files: `${files}`, equal: `${found.equal}`, different: `${found.different}` };
  report({ what: 'tools: grep beside ripgrep by hand', who: name, figures });
  sum.equal += found.equal;
  sum.different += found.different;
}

function unpack(name: string): string {
  const workspace = join(root, name.replaceAll('/', '+'));
  mkdirSync(workspace);
  const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', root, name], {
    encoding: 'utf8',
    cwd: root,
  });
  execFileSync('tar', ['-xzf', join(root, packed.trim()), '-C', workspace, '--strip-components=1']);
  writeFileSync(join(workspace, '.gitignore'), IGNORED);
  return workspace;
}

type Found = { readonly path: string; readonly line: number; readonly text: string };

/** All lines, as PATH:NUMBER. */
async function byTool({ pattern, options }: Search, ignored: boolean, workspace: string): Promise<ReadonlySet<string>> {
  // Code gets up to 20,000 at once; the tool skips at most 100,000, so that no pattern may match more often.
  const context = { ...contextIn(workspace), codeBytes: 1e9 };
  const lines = new Set<string>();
  for (let offset = 0; ; ) {
    const { data } = await call(grepTool, { pattern, ignored, offset, ...options }, context);
    const { matches, more } = data!() as { matches: readonly Found[]; more: boolean };
    for (const { path, line, text } of matches)
      for (const nth of text.split('\n').keys()) lines.add(`${path}:${line + nth}`);
    offset += matches.length;
    if (!more || matches.length === 0) return lines;
  }
}

function byHand({ pattern, flags = [] }: Search, ignored: boolean, workspace: string): ReadonlySet<string> {
  const generated = ignored ? ['--no-ignore'] : ['-g', '!node_modules'];
  const args = [...BY_HAND, ...generated, ...flags, '-e', pattern, '.'];
  const { stdout } = spawnSync(rgPath, args, { cwd: workspace, encoding: 'utf8', maxBuffer: 2 ** 30 });
  const lines = new Set<string>();
  for (const [, path, line] of stdout.matchAll(/^\.\/(.+)\0(\d+):/gm)) lines.add(`${path}:${line}`);
  return lines;
}

function only(these: ReadonlySet<string>, those: ReadonlySet<string>, who: string): string[] {
  return [...these].filter((line) => !those.has(line)).map((line) => `${who}: ${line}`);
}
