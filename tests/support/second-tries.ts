/**
 * Lists the tests that passed only when they were run again, with what failed first, and fails a run in which there are many.
 * Tests are run again only where `ANIMUS_TEST_RETRY` is set, as CI does: a developer sees every failure at once.
 *
 * Where `ANIMUS_TEST_SUSPECTS` names a file, the test files on which the run failed are added to it, if they are few: CI runs them
 * once more when nothing else runs beside them. A real fault fails there, too.
 */
import { appendFileSync } from 'node:fs';
import type { Reporter } from 'vitest/node';

/** So many may come from a busy machine; more point at a fault. */
const ACCEPTED = 3;

/** If the run failed on more files than these, it is broken. */
const MOST_SUSPECTS = 8;

/** What is read of vitest's TestCase and TestModule. */
interface Tried {
  readonly fullName: string;
  diagnostic(): { readonly retryCount: number } | undefined;
  result(): { readonly errors?: readonly { readonly message: string }[] | undefined };
}

export interface TriedModule {
  readonly relativeModuleId: string;
  ok(): boolean;
  readonly children: { allTests(state: 'passed'): Iterable<Tried> };
}

export default class SecondTries implements Reporter {
  onTestRunEnd(modules: readonly TriedModule[], unhandled: readonly unknown[]): void {
    const { text, tooMany } = reportOf(modules);
    process.stdout.write(text);
    if (tooMany) process.exitCode = 1;
    const list = process.env['ANIMUS_TEST_SUSPECTS'];
    // An error outside of all tests has no file that could be run again.
    if (list !== undefined && unhandled.length === 0) appendFileSync(list, suspectsOf(modules).join(''));
  }
}

/** The files on which a run failed, a line each; none if they are too many. */
export function suspectsOf(modules: readonly TriedModule[]): readonly string[] {
  const { tooMany } = reportOf(modules);
  const suspects = modules.filter((module) => !module.ok() || (tooMany && linesOf(module).length > 0));
  const files = new Set(suspects.map(({ relativeModuleId }) => `${relativeModuleId}\n`));
  return files.size > MOST_SUSPECTS ? [] : [...files];
}

/** Empty text where every test passed, or failed, at the first try. */
export function reportOf(modules: readonly TriedModule[]): { readonly text: string; readonly tooMany: boolean } {
  const lines = modules.flatMap(linesOf);
  if (lines.length === 0) return { text: '', tooMany: false };
  const tooMany = lines.length > ACCEPTED;
  const verdict = tooMany ? `More than ${ACCEPTED} tests had to be run again: the run counts as failed.\n` : '';
  return { text: `\nPassed only when run again (${lines.length}):\n${lines.join('')}${verdict}`, tooMany };
}

function linesOf({ relativeModuleId, children }: TriedModule): string[] {
  return [...children.allTests('passed')]
    .filter((test) => (test.diagnostic()?.retryCount ?? 0) > 0)
    .map((test) => {
      const reason = test.result().errors?.[0]?.message.split('\n')[0] ?? 'no error was kept';
      return `  ${relativeModuleId} > ${test.fullName}\n    first: ${reason}\n`;
    });
}
