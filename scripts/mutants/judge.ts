/** Finds out whether a test notices a mutant. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chooseTests, type TestChoice } from './choose-tests.ts';
import type { Databases } from './databases.ts';
import { keyOf, type Mutant } from './mutant.ts';
import { runTests, type TestOutcome } from './run-tests.ts';
import type { Tree } from './tree.ts';
import { isTypeScript } from './typescript-mutants.ts';
import type { Verdict } from './verdict.ts';

export interface Judge {
  readonly databases: Databases;
  readonly choice: TestChoice;
  readonly equivalents: ReadonlyMap<string, string>;
  /** What is known of the tests without a mutant: their durations in ms if they pass, otherwise null. */
  readonly known: Map<string, number | null>;
  readonly signal: AbortSignal;
}

/** Of the tests, so many run together: the next are only for what these do not notice. */
const STEPS = [3, 8, 16, 32];
const FIRST_GUESS_MS = 15_000;
const LEAST_LIMIT_MS = 60_000;

/** `worker` names the worker's database. Errors: the signal. */
export async function judge(mutant: Mutant, tree: Tree, worker: number, job: Judge): Promise<Verdict> {
  const why = job.equivalents.get(keyOf(mutant));
  if (why !== undefined) return { verdict: 'equivalent', why };
  tree.change(mutant);
  const isSql = mutant.file.endsWith('.sql');
  const mutated = `animus_mutant_${worker}`;
  try {
    const problem = isSql ? await sqlProblem(mutated, tree, job) : syntaxProblem(mutant, tree);
    if (problem !== null) return { verdict: 'invalid', why: problem };
    return await byTests(mutant, tree, isSql ? mutated : job.databases.template, job);
  } finally {
    tree.restore(mutant);
    if (isSql) await job.databases.drop(mutated);
  }
}

function syntaxProblem({ file }: Mutant, { root }: Tree): string | null {
  return isTypeScript(readFileSync(join(root, file), 'utf8')) ? null : 'not TypeScript';
}

async function sqlProblem(name: string, { root }: Tree, { databases }: Judge): Promise<string | null> {
  try {
    await databases.mutate(name, join(root, 'migrations'));
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

async function byTests(mutant: Mutant, tree: Tree, template: string, job: Judge): Promise<Verdict> {
  const chosen = chooseTests(mutant, job.choice);
  let passed = 0;
  let unsound: string | null = null;
  for (const step of steps(chosen)) {
    let tests = sound(step, job);
    while (tests.length > 0) {
      const outcome = await run(tests, tree, template, job);
      if (outcome.timedOut) return { verdict: 'timed out', tests };
      for (const [test, ms] of outcome.passedMs) job.known.set(test, ms);
      passed += outcome.passedMs.size;
      if (outcome.failed === null) break;
      if (await isSound(outcome.failed.test, mutant, tree, job))
        return { verdict: 'killed', by: outcome.failed.test, how: outcome.failed.how };
      unsound = `${outcome.failed.test}: ${outcome.failed.how}`;
      tests = sound(tests, job).filter((test) => !outcome.passedMs.has(test));
    }
  }
  return passed === 0 && unsound !== null
    ? { verdict: 'unjudged', why: unsound }
    : { verdict: 'survived', tests: passed };
}

function steps(tests: readonly string[]): string[][] {
  const parts: string[][] = [];
  let from = 0;
  while (from < tests.length) {
    const size = STEPS[Math.min(parts.length, STEPS.length - 1)]!;
    parts.push(tests.slice(from, from + size));
    from += size;
  }
  return parts;
}

/** Without the tests that fail anyway. */
function sound(tests: readonly string[], { known }: Judge): string[] {
  return tests.filter((test) => known.get(test) !== null);
}

/** Whether a test passes without a mutant, here and now: where it never has, it is asked. */
async function isSound(test: string, mutant: Mutant, tree: Tree, job: Judge): Promise<boolean> {
  if (!job.known.has(test)) {
    tree.restore(mutant);
    const { passedMs } = await run([test], tree, job.databases.template, job);
    tree.change(mutant);
    job.known.set(test, passedMs.get(test) ?? null);
  }
  return job.known.get(test) !== null;
}

function run(tests: readonly string[], tree: Tree, template: string, job: Judge): Promise<TestOutcome> {
  const expectedMs = tests.reduce((sum, test) => sum + (job.known.get(test) ?? FIRST_GUESS_MS), 0);
  const limitMs = Math.ceil(LEAST_LIMIT_MS + 4 * expectedMs);
  return runTests({ tree, databases: job.databases, template, tests, limitMs, signal: job.signal });
}
