/**
 * Lists the tests that passed only when they were run again, with what failed first, and fails a run in which there are many.
 * Tests are run again only where `ANIMUS_TEST_RETRY` is set, as CI does: a developer sees every failure at once.
 */
import type { Reporter } from 'vitest/node';

/** So many may come from a busy machine; more point at a fault. */
const ACCEPTED = 3;

/** What is read of vitest's TestCase and TestModule. */
interface Tried {
  readonly fullName: string;
  diagnostic(): { readonly retryCount: number } | undefined;
  result(): { readonly errors?: readonly { readonly message: string }[] | undefined };
}

export interface TriedModule {
  readonly relativeModuleId: string;
  readonly children: { allTests(state: 'passed'): Iterable<Tried> };
}

export default class SecondTries implements Reporter {
  onTestRunEnd(modules: readonly TriedModule[]): void {
    const { text, tooMany } = reportOf(modules);
    process.stdout.write(text);
    if (tooMany) process.exitCode = 1;
  }
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
