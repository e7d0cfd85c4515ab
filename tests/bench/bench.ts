/**
 * Starts benchmarks: `npm run bench -- FILE [argument …]` runs one file, `npm run bench -- all [--quick]` every comparison, one after the
 * other, and prints one table at the end. All of it takes about an hour on two idle cores; `--quick` takes a few minutes, and its figures only show
 * that everything runs.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  ['tools/run.ts', [], ['--sizes', '10', '--rounds', '1']],
];

const [first, ...rest] = process.argv.slice(2);
if (first === 'all') process.exitCode = runAll(rest.includes('--quick'));
else if (first?.endsWith('.ts')) process.exitCode = run(first, rest, {});
else {
  process.stderr.write('expected "all", or the file of a benchmark, such as tests/bench/queue/run.ts\n');
  process.exitCode = 2;
}

/** Runs all and prints the table; 1 if one of them failed. */
function runAll(quick: boolean): number {
  const directory = mkdtempSync(join(tmpdir(), 'bench-all-'));
  const file = join(directory, 'rows');
  writeFileSync(file, '');
  try {
    const failed = ALL.filter(([name, usual, short]) => {
      process.stdout.write(`\n=== ${name}\n`);
      return run(new URL(name, import.meta.url).pathname, quick ? short : usual, { [REPORT_VARIABLE]: file }) !== 0;
    });
    printTable(
      readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Row),
    );
    for (const [name] of failed) process.stdout.write(`failed, or over its limit: ${name}\n`);
    return failed.length > 0 ? 1 : 0;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function run(file: string, argv: readonly string[], more: NodeJS.ProcessEnv): number {
  const { status } = spawnSync(process.execPath, [file, ...argv], {
    stdio: 'inherit',
    env: { ...process.env, ...more },
  });
  return status ?? 1;
}

function printTable(rows: readonly Row[]): void {
  const lines = rows.map(({ what, who, figures }) => {
    const cells = Object.entries(figures).map(([name, value]) => `${name} ${value}`);
    return `| ${what} | ${who} | ${cells.join(', ')} |`;
  });
  process.stdout.write(`\n| measured | of | figures |\n|---|---|---|\n${lines.join('\n')}\n`);
}
