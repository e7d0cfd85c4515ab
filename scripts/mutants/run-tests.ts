/** Runs test files in a tree, until the first one fails. */
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { startConfined } from './confine.ts';
import type { Databases } from './databases.ts';
import { emptyHome, type Tree } from './tree.ts';

export interface TestRun {
  readonly tree: Tree;
  readonly databases: Databases;
  /** The database to clone. */
  readonly template: string;
  readonly tests: readonly string[];
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/** The files that passed, with their durations, and what failed first. */
export interface TestOutcome {
  readonly passedMs: ReadonlyMap<string, number>;
  readonly failed: { readonly test: string; readonly how: string } | null;
  readonly timedOut: boolean;
}

/** Errors: the signal. */
export async function runTests({ tree, databases, template, tests, limitMs, signal }: TestRun): Promise<TestOutcome> {
  signal.throwIfAborted();
  const home = emptyHome(tree);
  const report = join(home, 'report.json');
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'scripts/mutants/vitest.config.ts'];
  const command = [process.execPath, ...vitest, '--reporter=json', `--outputFile=${report}`, ...tests];
  const child = startConfined(tree.directory, command, {
    ...process.env,
    HOME: home,
    NODE_COMPILE_CACHE: join(tree.directory, 'compiled'),
    ANIMUS_MUTANT_CACHE: join(tree.directory, 'modules'),
    ANIMUS_MUTANT_TESTS: tests.join('\n'),
    ANIMUS_MUTANT_SERVER: databases.url,
    ANIMUS_MUTANT_TEMPLATE: template,
    ANIMUS_MUTANT_EMBEDDED: databases.embedded,
  });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    said = `${said}${chunk}`.slice(-2000);
  });
  const limit = AbortSignal.timeout(limitMs);
  const either = AbortSignal.any([signal, limit]);
  const kill = () => child.kill('SIGKILL');
  either.addEventListener('abort', kill);
  const [code] = (await once(child, 'exit')) as [number | null];
  either.removeEventListener('abort', kill);
  signal.throwIfAborted();
  if (limit.aborted) return { passedMs: new Map(), failed: null, timedOut: true };
  return { ...read(report, tree.root, tests, code, said), timedOut: false };
}

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message?: string;
    readonly startTime: number;
    readonly endTime: number;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages?: string[];
    }[];
  }[];
}

function read(
  report: string,
  root: string,
  tests: readonly string[],
  code: number | null,
  said: string,
): Omit<TestOutcome, 'timedOut'> {
  const passedMs = new Map<string, number>();
  if (!existsSync(report)) return { passedMs, failed: { test: tests[0]!, how: `no report: ${said.trim()}` } };
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report;
  for (const { name, status, message, assertionResults, startTime, endTime } of testResults) {
    const test = relative(root, name);
    const one = assertionResults.find((each) => each.status === 'failed');
    if (one)
      return { passedMs, failed: { test, how: `${one.fullName}: ${one.failureMessages?.[0]?.split('\n')[0] ?? ''}` } };
    if (status === 'failed') return { passedMs, failed: { test, how: message?.split('\n')[0] ?? '' } };
    if (assertionResults.some((each) => each.status === 'passed')) passedMs.set(test, endTime - startTime);
  }
  // An error outside of all tests.
  if (code !== 0)
    return { passedMs: new Map(), failed: { test: tests.at(-1)!, how: said.trim() || `exit code ${code}` } };
  return { passedMs, failed: null };
}
