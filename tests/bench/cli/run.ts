/**
 * How long the command line takes from its start to its end: `npm run bench -- tests/bench/cli/run.ts [--runs 20] [--old /usr/bin/node] [--built]`.
 * The commands take turns with Node alone (an empty program), under the Node that animus needs and, where the PATH has one or `--old` names it,
 * under an older one, from which the launcher starts the first. Prints medians, and ratios to Node alone of the same version. The compile
 * cache is warm, as for every start but the first. `faculty list` reads one faculty, and 61. `--built`: of the package, as `npm run build` has made it,
 * instead of the sources. BENCH_DATABASE_URL: the server that `status` and `work list` ask, instead of one of its own.
 */
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { parseArgs } from 'node:util';
import { benchServer, median } from '../support/bench-database.ts';
import { report } from '../support/report.ts';

const ROOT = new URL('../../../', import.meta.url).pathname;
const COMMANDS = [
  '--version',
  '--help',
  'work submit --help',
  'help exit-codes',
  'status',
  'work list',
  'work list --json',
  'faculty list --faculties faculties-1',
  'faculty list --faculties faculties-61',
];

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '20' }, old: { type: 'string' }, built: { type: 'boolean' } },
});
const runs = Number(values.runs);
const old = values.old ?? oldNode();

const server = await benchServer();
const cwd = mkdtempSync(join(tmpdir(), 'bench-cli-'));
const launcher = values.built ? launcherOfBuild() : join(ROOT, 'src/animus.js');
try {
  for (const count of [1, 61]) writeFaculties(join(cwd, `faculties-${count}`), count);
  for (const node of [process.execPath, ...(old === null ? [] : [old])]) measure(node);
} finally {
  rmSync(cwd, { recursive: true, force: true });
  await server.stop();
}

interface Cost {
  readonly wallMs: number;
  /** Of the process and those it started. */
  readonly cpuMs: number;
}

function measure(node: string): void {
  const lines = [['-e', '0'], ...COMMANDS.map((line) => [launcher, ...line.split(' ')])];
  for (const argv of lines) run(node, argv);
  const costs = lines.map((): Cost[] => []);
  for (let round = 0; round < runs; round++) {
    for (const [index, argv] of lines.entries()) costs[index]!.push(run(node, argv));
  }
  console.log(`\nNode ${versionOf(node)}: medians of ${runs}, and the mean of processor time`);
  const [bare = [], ...others] = costs;
  const version = versionOf(node);
  show(version, 'Node alone', bare, bare);
  for (const [index, line] of COMMANDS.entries()) show(version, line, others[index]!, bare);
}

function show(node: string, name: string, costs: readonly Cost[], bare: readonly Cost[]): void {
  const wall = (of: readonly Cost[]) => median(of.map(({ wallMs }) => wallMs));
  const cpu = (of: readonly Cost[]) => of.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / of.length;
  const figures = [wall, cpu].map((figure) => {
    return `${figure(costs).toFixed(0).padStart(5)} ms (${(figure(costs) / figure(bare)).toFixed(1)} ×)`;
  });
  console.log(`  ${name.padEnd(38)} ${figures.join('   cpu ')}`);
  const [wallMs = '', cpuMs = ''] = figures.map((text) => text.trim());
  report({ what: `command line, Node ${node}`, who: name, figures: { wall: wallMs, cpu: cpuMs } });
}

/** From the start of the process to its end. */
function run(node: string, argv: readonly string[]): Cost {
  const { PATH } = process.env;
  const env = { PATH, HOME: cwd, DATABASE_URL: server.url, NODE_COMPILE_CACHE: join(cwd, 'compiled') };
  const [startedMs, usedMs] = [performance.now(), childrenCpuMs()];
  execFileSync(node, argv, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  return { wallMs: performance.now() - startedMs, cpuMs: childrenCpuMs() - usedMs };
}

/** Linux keeps it in hundredths of a second, which a mean evens out; 0 elsewhere. */
function childrenCpuMs(): number {
  if (!existsSync('/proc/self/stat')) return 0;
  const [, user = '0', system = '0'] =
    /\) (?:\S+ ){13}(\d+) (\d+) /.exec(readFileSync('/proc/self/stat', 'utf8')) ?? [];
  return 10 * (Number(user) + Number(system));
}

/** A launcher without the sources beside it, as in a package. */
function launcherOfBuild(): string {
  if (!existsSync(join(ROOT, 'dist/program'))) throw new Error('there is no dist/program: run "npm run build"');
  const place = join(cwd, 'package');
  mkdirSync(join(place, 'src'), { recursive: true });
  for (const name of ['dist', 'node_modules']) symlinkSync(join(ROOT, name), join(place, name));
  for (const name of ['package.json', 'src/animus.js']) copyFileSync(join(ROOT, name), join(place, name));
  return join(place, 'src/animus.js');
}

function writeFaculties(directory: string, count: number): void {
  mkdirSync(directory);
  for (let n = 0; n < count; n++) {
    const head = `[faculty]\nname = "faculty-${n}"\ndescription = "Reads, changes and tests code"\nworkspace = ".."\n`;
    const engage = `[faculty.engage]\nmodel = "claude-sonnet-4-5"\ntools = ["read_file", "write_file", "edit_file", "bash"]\nsystem_prompt = "You work."\n`;
    writeFileSync(join(directory, `faculty-${n}.toml`), head + engage);
  }
}

/** The first Node of the PATH that is too old for animus; null without one. */
function oldNode(): string | null {
  const found = (process.env['PATH'] ?? '').split(delimiter).map((directory) => join(directory, 'node'));
  return found.find((node) => existsSync(node) && Number.parseInt(versionOf(node), 10) < 24) ?? null;
}

function versionOf(node: string): string {
  return execFileSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' }).trim();
}
