/** Approves a call, and allows the same call from now on. */
import { AnimusError } from '../../core/errors/errors.ts';
import { grantPattern } from '../../core/permissions/grant-pattern.ts';
import type { Database } from '../../store/sql/database.ts';
import type { AskedView } from '../../store/views/inbox-view.ts';
import { approve, grantCall } from '../../store/work/decide.ts';

/** What a grant covers: the work item of the call, or all work of its faculty. */
export type GrantScope = 'item' | 'faculty';

/** How long a grant lasts if nothing else is said: a week. */
export const DEFAULT_GRANT_SECONDS = 7 * 86_400;

export interface AlwaysAllow {
  readonly scope: GrantScope;
  readonly seconds: number;
  /** As in the parentheses of a rule; left out: exactly this input. */
  readonly pattern?: string | undefined;
  readonly note?: string | undefined;
  /** JSON, in place of the call's input. */
  readonly input?: string | undefined;
}

/** Both in one transaction. `where` names the pattern in an error. Errors: `usage.invalid` for an invalid pattern, and those of `approve`. */
export async function approveAlways(
  db: Database,
  { work_item_id: id, ask_id: ask, hash, request }: AskedView,
  { scope, seconds, pattern, note, input }: AlwaysAllow,
  where: string,
): Promise<{ readonly ask: string; readonly grant: string }> {
  const covered = pattern === undefined ? undefined : coveredBy(String(request['tool']), pattern, where);
  return db.transaction(async (tx) => {
    const grant = await grantCall(tx, id, { ask, scope, seconds, pattern: covered, note });
    return { ask: await approve(tx, id, { ask, hash, note, input }), grant };
  });
}

function coveredBy(tool: string, pattern: string, where: string): string {
  const covered = grantPattern(tool, pattern);
  if (typeof covered === 'string') return covered;
  throw new AnimusError('usage.invalid', { detail: `${where} ${JSON.stringify(pattern)}: ${covered.problem}` });
}
