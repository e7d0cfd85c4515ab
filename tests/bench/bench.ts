/**
 * Starts benchmarks: `npm run bench -- FILE [argument …]` runs one file, `npm run bench -- all [--quick]` every comparison, one after the
 * other, and prints one table at the end. All of it takes about an hour on two idle cores; `--quick` takes a few minutes, and its figures only show
 * that everything runs. With `--against REV [--times 3]` this tree and that revision run in turns, A B B A, and their figures are compared; exit code 1 if
 * one of this tree is worse in all of them. `--json` prints the result as JSON, `--keep` writes it to tests/bench/results/VERSION.json.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { type Bench, compareAll, isWorse, shown } from './against/against.ts';
import { type Asked, readArguments } from './against/arguments.ts';
import { machineFacts } from './against/machine.ts';
import { checkOut, git, ROOT } from './against/revision.ts';
import { REPORT_VARIABLE, type Row } from './support/report.ts';

/** File, arguments, and the arguments of a quick run. */
const ALL: readonly (readonly [file: string, usual: readonly string[], quick: readonly string[]])[] = [
  ['queue/run.ts', [], ['--runs', '1', '--jobs', '2000', '--samples', '200', '--rows', '20000']],
  ['focus/run.ts', [], ['--runs', '1', '--items', '200']],
  ['engage/run.ts', ['overhead', 'parallel', 'concurrent'], ['overhead', '--rounds', '1']],
  ['llm/run.ts', ['3'], ['1', 'anthropic']],
  ['http/routes.ts', [], ['--rounds', '1', '--seconds', '0.3', '--items', '2000', '--connections', '10']],
  ['http/crowd.ts', [], ['--rounds', '1', '--seconds', '1']],
  ['http/run.ts', [], ['--readers', '50', '--entries', '10', '--seconds', '1']],
  ['cli/run.ts', [], ['--runs', '3']],
  ['embedded/run.ts', [], ['--runs', '1', '--items', '50']],
  ['tools/run.ts', [], ['--sizes', '10', '--rounds', '1']],
  ['engage/commands.ts', [], ['--turns', '3', '--rounds', '1']],
  ['worktrees/run.ts', [], ['--sizes', '9', '--rounds', '1']],
  ['worktrees/focus.ts', [], ['--rounds', '1']],
];

/** Where benchmarks are, in each tree. */
const FOLDER = 'tests/bench';
const interrupted = new AbortController();

const asked = readArguments(process.argv.slice(2));
if (typeof asked === 'string') {
  process.stderr.write(`${asked}\n`);
  process.exitCode = 2;
} else {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interrupted.abort());
  process.exitCode = await (asked.against === null ? runHere(asked) : runAgainst(asked, asked.against));
}

/** Runs this tree alone and prints the table of all; 1 if a benchmark failed. */
async function runHere(asked: Asked): Promise<number> {
  const rows: Row[] = [];
  const failed: string[] = [];
  for (const bench of benchesOf(asked)) {
    const { code, rows: more } = await run(ROOT, bench, asked.json ? 2 : 1);
    rows.push(...more);
    if (code !== 0) failed.push(bench.file);
    if (interrupted.signal.aborted) return 130;
  }
  if (asked.what === 'all' || asked.json) finish(asked, { rows, failed }, () => tableOf(rows));
  if (asked.what === 'all') for (const file of failed) process.stderr.write(`failed, or over its limit: ${file}\n`);
  return failed.length > 0 ? 1 : 0;
}

/** Runs this tree and the revision in turns; 1 if a figure of ours is worse beyond its spread. */
async function runAgainst(asked: Asked, name: string): Promise<number> {
  const revision = await checkOut(name);
  try {
    const trees = { this: ROOT, that: revision.directory };
    const failed = new Set<string>();
    const comparison = await compareAll(benchesOf(asked), asked.times, async (side, bench) => {
      interrupted.signal.throwIfAborted();
      if (!existsSync(join(trees[side], FOLDER, bench.file))) return null;
      const { code, rows } = await run(trees[side], bench, 2);
      if (code !== 0) failed.add(`${bench.file} of ${side}`);
      return rows;
    });
    finish(asked, { against: revision.commit, ...comparison, failed: [...failed] }, () => shown(comparison));
    for (const bench of failed) process.stderr.write(`failed, or over its limit: ${bench}\n`);
    return comparison.rows.some(isWorse) ? 1 : 0;
  } catch (error) {
    if (interrupted.signal.aborted) return 130;
    throw error;
  } finally {
    revision.remove();
  }
}

function benchesOf({ what, quick, rest }: Asked): Bench[] {
  if (what !== 'all') return [{ file: relative(join(ROOT, FOLDER), resolve(what)), argv: rest }];
  return ALL.map(([file, usual, short]) => ({ file, argv: quick ? short : usual }));
}

/** Runs a benchmark of a tree; `output`: the descriptor on which it prints. */
async function run(tree: string, { file, argv }: Bench, output: 1 | 2): Promise<{ code: number; rows: Row[] }> {
  const directory = mkdtempSync(join(tmpdir(), 'bench-rows-'));
  const report = join(directory, 'rows');
  writeFileSync(report, '');
  try {
    process.stderr.write(`\n=== ${file}${tree === ROOT ? '' : ' of the revision'}\n`);
    const child = spawn(process.execPath, [join(tree, FOLDER, file), ...argv], {
      cwd: tree === ROOT ? process.cwd() : tree,
      stdio: ['inherit', output, 'inherit'],
      env: { ...process.env, [REPORT_VARIABLE]: report },
    });
    // A terminal tells it, too; a signal that was sent to us alone does not reach it.
    const stop = () => child.kill('SIGINT');
    interrupted.signal.addEventListener('abort', stop);
    const [code] = (await once(child, 'exit')) as [number | null];
    interrupted.signal.removeEventListener('abort', stop);
    const lines = readFileSync(report, 'utf8').split('\n');
    const rows = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Row);
    return { code: code ?? 1, rows };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Prints the result and keeps it, as asked. */
function finish({ json, keep }: Asked, result: object, table: () => string): void {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const commit = git('rev-parse', 'HEAD').trim();
  const changed = git('status', '--porcelain', '--untracked-files=no') !== '';
  const text = `${JSON.stringify({ version, commit, changed, machine: machineFacts(), ...result }, null, 2)}\n`;
  process.stdout.write(json ? text : `\n${table()}\n`);
  if (!keep) return;
  const folder = join(ROOT, FOLDER, 'results');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${version}.json`), text);
}

function tableOf(rows: readonly Row[]): string {
  const lines = rows.map(({ what, who, figures }) => {
    const cells = Object.entries(figures).map(([name, value]) => `${name} ${value}`);
    return `| ${what} | ${who} | ${cells.join(', ')} |`;
  });
  return `| measured | of | figures |\n|---|---|---|\n${lines.join('\n')}`;
}
