/**
 * What the tools of an agent cost beside the bare programs: `npm run bench -- tests/bench/tools/run.ts [--sizes 10,2770,30000] [--rounds 5]`. For 300,000 files,
 * TMPDIR=/dev/shm makes the tree in less than a minute (1.3 GB).
 * `grep` and `glob` in generated trees of so many files, in the best isolation of this host with the rules of a daemon, against ripgrep started by
 * hand; `bash` that does nothing, one and 16 at once, against `bash`, and `bash` in `unshare`; a hook against `sh`. They take turns; prints medians and
 * what a call takes more.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { rgPath } from '@vscode/ripgrep';
import { runHookCommand } from '../../../src/daemon/hooks/hook-command.ts';
import type { HookInput } from '../../../src/daemon/hooks/hook-output.ts';
import { globTool } from '../../../src/tools/files/search/glob.ts';
import { grepTool } from '../../../src/tools/files/search/grep.ts';
import { bashTool } from '../../../src/tools/shell.ts';
import type { ToolContext } from '../../../src/tools/tool.ts';
import { median } from '../support/bench-database.ts';
import { report } from '../support/report.ts';
import { call, openToolBench } from './tool-bench.ts';

const { values } = parseArgs({
  options: { sizes: { type: 'string', default: '10,2770,30000' }, rounds: { type: 'string', default: '5' } },
});
const rounds = Number(values.rounds);
const { root, isolation, contextIn, close } = await openToolBench();
console.log(`isolation ${isolation}; medians of ${rounds}, in ms`);
try {
  for (const size of values.sizes.split(',').map(Number)) await searches(size);
  await commands();
} finally {
  await close();
}

/** A tree of text files of 3 KB, one of a hundred with the word; a tenth of as many files is ignored. */
async function searches(size: number): Promise<void> {
  const workspace = join(root, `tree-${size}`);
  const made = new Set<string>();
  const file = (path: string, nth: number) => {
    const directory = dirname(join(workspace, path));
    if (!made.has(directory)) mkdirSync(directory, { recursive: true });
    made.add(directory);
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
  // What a namespace costs with nothing prepared, hidden or limited in it.
  const apart = ['-Urpf', '--mount-proc', '/bin/bash', '-c', ':'];
  const each: readonly Timed[] = [
    ['bash', () => program('/bin/bash', ['-c', ':'], workspace)],
    ['unshare', () => program('unshare', apart, workspace)],
    ['the tool bash', () => call(bashTool, { command: ':' }, context)],
  ];
  await compare('a command that does nothing', each);
  const together = each.map(([who, run]): Timed => [who, () => Promise.all(Array.from({ length: 16 }, run))]);
  await compare('16 of them at once', together);
  await compare('a hook that does nothing', [
    ['sh', () => program('/bin/sh', ['-c', ':'], workspace)],
    ['the hook', () => runHook(context)],
  ]);
}

/** As before each call of a tool. */
async function runHook({ workspace, processes, fileRules, ...context }: ToolContext): Promise<void> {
  const { workItemId, focusId, faculty } = context;
  const at = { cwd: workspace, focusDirectory: workspace, home: join(root, 'home'), owner: workItemId };
  const hook = { command: '/bin/sh', args: ['-c', ':'], environment: {}, timeoutMs: 60_000, isolation, fileRules };
  const input = { event: 'before_tool_call', work_item: {}, faculty: {} } as unknown as HookInput['before_tool_call'];
  const given = { ...at, ...hook, workItemId, focusId, faculty };
  const { kind } = await runHookCommand('before_tool_call', given, input, processes, new AbortController().signal);
  if (kind !== 'proceed') throw new Error(`the hook has ${kind}`);
}

type Timed = readonly [who: string, run: () => Promise<unknown>];

/** They take turns; the last is ours, the one before it what it is measured by. */
async function compare(what: string, timed: readonly Timed[]): Promise<void> {
  const times = new Map(timed.map(([who]) => [who, [] as number[]]));
  for (let round = -1; round < rounds; round++) {
    for (const [who, run] of timed) {
      const startedAt = performance.now();
      await run();
      if (round >= 0) times.get(who)!.push(performance.now() - startedAt);
    }
  }
  const medians = timed.map(([who]) => [who, median(times.get(who)!)] as const);
  const [[peer, peerMs], [ours, oursMs]] = medians.slice(-2) as [(typeof medians)[0], (typeof medians)[0]];
  const figures = {
    ...Object.fromEntries(medians.map(([who, ms]) => [who, ms.toFixed(1)])),
    ratio: `${(oursMs / peerMs).toFixed(2)}×`,
  };
  const shown = Object.entries(figures).map(([who, text]) => `${who} ${text}`);
  console.log(`  ${what.padEnd(30)} ${shown.join('   ')}`);
  report({ what: `tools: ${what}`, who: `${ours} beside ${peer}`, figures });
}

async function program(command: string, args: readonly string[], cwd: string): Promise<void> {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'ignore'] });
  child.stdout.resume();
  await once(child, 'close');
}
