/** Judges mutants, several at once. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TestChoice } from './choose-tests.ts';
import { checkConfine } from './confine.ts';
import { startDatabases } from './databases.ts';
import { readEquivalents } from './equivalent.ts';
import { type Judge, judge } from './judge.ts';
import type { Mutant } from './mutant.ts';
import { copyTree } from './tree.ts';
import type { Result } from './verdict.ts';

/** Not /tmp, of which confined programs have their own. */
const PLACE = '/var/tmp/animus-mutants-';

interface MutantRun {
  readonly root: string;
  readonly choice: TestChoice;
  readonly workers: number;
  readonly signal: AbortSignal;
}

/**
 * Calls `onResult` for each, and leaves nothing behind. Returns the tests that failed without a mutant, too. With the signal it ends early. Errors: this
 * machine cannot confine.
 */
export async function runMutants(
  mutants: readonly Mutant[],
  { root, choice, workers, signal: given }: MutantRun,
  onResult: (result: Result) => void,
): Promise<string[]> {
  checkConfine();
  const place = mkdtempSync(PLACE);
  const databases = await startDatabases(place);
  const broken = new AbortController();
  const signal = AbortSignal.any([given, broken.signal]);
  const job: Judge = { databases, choice, equivalents: readEquivalents(), known: new Map(), signal };
  const waiting = [...mutants];
  const work = async (worker: number): Promise<void> => {
    const tree = copyTree(root, join(place, String(worker)));
    for (let mutant = waiting.shift(); mutant && !signal.aborted; mutant = waiting.shift())
      onResult({ mutant, result: await judge(mutant, tree, worker, job) });
  };
  try {
    const works = Array.from({ length: workers }, (_, index) => work(index + 1));
    for (const each of works) each.catch((error: unknown) => broken.abort(error));
    await Promise.allSettled(works);
    if (!given.aborted) broken.signal.throwIfAborted();
    return [...job.known].flatMap(([test, ms]) => (ms === null ? test : [])).toSorted();
  } finally {
    await databases.stop();
    rmSync(place, { recursive: true, force: true });
  }
}
