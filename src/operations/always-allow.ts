/** Approves a call, and allows calls like it from now on. */
import { AnimusError } from '../core/errors/errors.ts';
import { grantPattern } from '../core/permissions/grant-pattern.ts';
import type { Queryable } from '../store/sql/database.ts';
import { approve, type Decision, grantCall } from '../store/work/decide.ts';
import { readAsked } from './asked.ts';

/** What a grant covers: the work item of the call, or all work of its faculty. */
export type GrantScope = 'item' | 'faculty';

/** How long a grant lasts if nothing else is said: a week. */
export const DEFAULT_GRANT_SECONDS = 7 * 86_400;

export interface AlwaysAllow {
  readonly scope: GrantScope;
  readonly seconds: number;
  /** As in the parentheses of a rule; left out: exactly this input. */
  readonly pattern?: string | undefined;
}

/** How an invalid pattern is refused: the code, and what the pattern is called. */
export type Refusal = readonly [code: 'usage.invalid' | 'work.invalid', called: string];

/** In a transaction: the grant comes first, because a call that is approved does not wait any more. Errors: the refusal's, and those of `approve`. */
export async function approveAlways(
  tx: Queryable,
  id: string,
  decision: Decision & { readonly ask: string; readonly input?: string | undefined },
  { scope, seconds, pattern }: AlwaysAllow,
  refusal: Refusal,
): Promise<{ readonly ask: string; readonly grant: string }> {
  const { ask, note } = decision;
  const covered = pattern === undefined ? undefined : await coveredBy(tx, id, ask, pattern, refusal);
  const grant = await grantCall(tx, id, { ask, scope, seconds, pattern: covered, note });
  return { ask: await approve(tx, id, decision), grant };
}

/** The pattern with the tool of the call. */
async function coveredBy(
  tx: Queryable,
  id: string,
  ask: string,
  pattern: string,
  [code, called]: Refusal,
): Promise<string> {
  const asked = (await readAsked(tx, id)).find((one) => one.ask_id === ask);
  const covered = grantPattern(String(asked?.request['tool']), pattern);
  if (typeof covered === 'string') return covered;
  throw new AnimusError(code, { detail: `${called} ${JSON.stringify(pattern)}: ${covered.problem}` });
}
