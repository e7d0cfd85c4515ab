/** What became of a mutant. */
import type { Mutant } from './mutant.ts';

export type Verdict =
  /** `by`: the test file, and what it said. */
  | { readonly verdict: 'killed'; readonly by: string; readonly how: string }
  /** It never ended, which a test notices too. */
  | { readonly verdict: 'timed out'; readonly tests: readonly string[] }
  | { readonly verdict: 'survived'; readonly tests: number }
  | { readonly verdict: 'equivalent'; readonly why: string }
  /** All tests that reach it fail without it, too. */
  | { readonly verdict: 'unjudged'; readonly why: string }
  /** Neither compiler nor server takes it. */
  | { readonly verdict: 'invalid'; readonly why: string };

export interface Result {
  readonly mutant: Mutant;
  readonly result: Verdict;
}
