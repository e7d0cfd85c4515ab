/**
 * What the tools of an agent cost beside the bare programs: `npm run bench -- tests/bench/tools/run.ts [--sizes 10,2770,30000] [--rounds 5]`.
 * `grep` and `glob` in generated trees of so many files, in the best isolation of this host with the rules of a daemon, against ripgrep started by
 * hand; `bash` that does nothing, one and 16 at once, against `bash`. They take turns; prints medians and what a call takes more.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { rgPath } from '@vscode/ripgrep';
import { UNLEASED } from '../../../src/core/lifecycle/lease.ts';
import { createProcessHost } from '../../../src/process/host/supervised-host.ts';
import { detectIsolation } from '../../../src/process/isolation.ts';
import { globTool } from '../../../src/tools/files/search/glob.ts';
import { grepTool } from '../../../src/tools/files/search/grep.ts';
import { createSeenFiles } from '../../../src/tools/files/seen-files.ts';
import { createBackgroundCommands } from '../../../src/tools/shell/background-commands.ts';

import { bashTool } from '../../../src/tools/shell.ts';
import type { Tool, ToolContext } from '../../../src/tools/tool.ts';
import { median } from '../support/bench-database.ts';
import { report } from '../support/report.ts';

const { values } = parseArgs({
  options: { sizes: { type: 'string', default: '10,2770,30000' }, rounds: { type: 'string', default: '5' } },
});
const rounds = Number(values.rounds);
const root = realpathSync(mkdtempSync(join(tmpdir(), 'bench-tools-')));
const processes = createProcessHost();
const background = createBackgroundCommands();
const isolation = await detectIsolation();
mkdirSync(join(root, 'home'));
mkdirSync(join(root, 'secrets'));
writeFileSync(join(root, 'secrets/key'), 'secret');
console.log(`isolation ${isolation}; medians of ${rounds}, in ms`);
try {
  for (const size of values.sizes.split(',').map(Number)) await searches(size);
  await commands();
} finally {
  await background.close();
  await processes.stop();
  rmSync(root, { recursive: true, force: true });
}

/** A tree of text files of 3 KB, one of a hundred with the word; a tenth of as many files is ignored. */
async function searches(size: number): Promise<void> {
  const workspace = join(root, `tree-${size}`);
  const file = (path: string, nth: number) => {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    const line = `export const value${nth} = compute(${nth * 7}, 'some text of line');\n`;
    writeFileSync(join(workspace, path), line.repeat(50) + (nth % 100 === 0 ? 'the needle\n' : ''));
  };
  for (let nth = 0; nth < size; nth++) file(`src/d${nth % 97}/e${nth % 11}/file${nth}.ts`, nth);
  for (let nth = 0; nth < size / 10; nth++) file(`dist/made${nth}.js`, nth);
  writeFileSync(join(workspace, '.gitignore'), 'dist/\n');
  const context = contextIn(workspace);
  await compare(`grep, ${size} files`, [
    ['ripgrep', () => program(rgPath, ['--hidden', '--no-heading', '-n', '-e', 'the needle', '.'], workspace)],
    ['grep', () => call(grepTool, { pattern: 'the needle' }, context)],
  ]);
  await compare(`glob, ${size} files`, [
    ['ripgrep', () => program(rgPath, ['--files', '--hidden', '.'], workspace)],
    ['glob', () => call(globTool, { pattern: '*0.ts' }, context)],
  ]);
  rmSync(workspace, { recursive: true });
}

async function commands(): Promise<void> {
  const workspace = join(root, 'commands');
  mkdirSync(workspace);
  const context = contextIn(workspace);
  const bare = () => program('/bin/bash', ['-c', ':'], workspace);
  const ours = () => call(bashTool, { command: ':' }, context);
  await compare('a command that does nothing', [
    ['bash', bare],
    ['the tool bash', ours],
  ]);
  await compare('16 of them at once', [
    ['bash', () => Promise.all(Array.from({ length: 16 }, bare))],
    ['the tool bash', () => Promise.all(Array.from({ length: 16 }, ours))],
  ]);
}

type Timed = readonly [who: string, run: () => Promise<unknown>];

async function compare(what: string, [bare, ours]: readonly [Timed, Timed]): Promise<void> {
  const times = new Map([bare, ours].map(([who]) => [who, [] as number[]]));
  for (let round = -1; round < rounds; round++) {
    for (const [who, run] of [bare, ours]) {
      const startedAt = performance.now();
      await run();
      if (round >= 0) times.get(who)!.push(performance.now() - startedAt);
    }
  }
  const [bareMs, oursMs] = [bare, ours].map(([who]) => median(times.get(who)!)) as [number, number];
  const figures = { bare: bareMs.toFixed(1), ours: oursMs.toFixed(1), ratio: `${(oursMs / bareMs).toFixed(2)}×` };
  console.log(`  ${what.padEnd(30)} ${bare[0]} ${figures.bare}   ${ours[0]} ${figures.ours}   ${figures.ratio}`);
  report({ what: `tools: ${what}`, who: `${ours[0]} beside ${bare[0]}`, figures });
}

async function program(command: string, args: readonly string[], cwd: string): Promise<void> {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'ignore'] });
  child.stdout.resume();
  await once(child, 'close');
}

async function call(tool: Tool, input: object, context: ToolContext): Promise<void> {
  if (tool.kind !== 'world') throw new Error(`${tool.name} is not a world tool`);
  const { isError, content } = await tool.run(tool.input.parse(input), context);
  if (isError) throw new Error(content);
}

function contextIn(workspace: string): ToolContext {
  return {
    workItemId: 'bench',
    leaseToken: 'lease',
    focusId: 'focus',
    faculty: 'bench',
    turn: 1,
    callId: 'call',
    workspace,
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    processes,
    background,
    home: async () => ({ directory: join(root, 'home'), caches: {} }),
    lease: UNLEASED,
    isolation,
    seenFiles: createSeenFiles(async () => []),
    fileRules: ['key', 'other', 'third'].map((name) => {
      writeFileSync(join(root, 'secrets', name), 'secret');
      return { path: join(root, 'secrets', name), access: 'hidden' };
    }),
  };
}
