/** `animus work cancel|retry` for all items that match, each with a row of the audit. */
import { usageError } from '../../../core/errors/errors.ts';
import type { WorkState } from '../../../core/work/work.ts';
import type { Operation } from '../../../operations/operation.ts';
import type { CommonOptions, Invocation } from '../../../terminal/command/command.ts';
import { withDatabase } from '../../../terminal/command/database.ts';
import { act } from '../../../terminal/command/operation-command.ts';
import { styled } from '../../../terminal/view/output.ts';
import { counted, shortId, stateLabel } from '../../../terminal/view/quantities.ts';
import { right, showTable } from '../../../terminal/view/table.ts';
import type { ChangedWork, MatchingChange } from '../bulk.ts';

/** The options that select items. */
export interface MatchOptions extends CommonOptions {
  readonly state?: WorkState;
  readonly faculty?: string;
  readonly since?: Date;
  readonly dryRun?: boolean;
  readonly reason?: string;
}

/** What is done to the items: `done` says it in the past tense. */
export interface Change {
  readonly operation: Operation<MatchingChange, ChangedWork>;
  readonly states: readonly WorkState[];
  readonly done: string;
}

/** How many items one transaction changes. */
const PAGE = 500;

/** Changes everything that matches, or with `--dry-run` only counts it. Exits 5 if an item was left as it was. */
export async function changeMatching(invocation: Invocation, options: MatchOptions, change: Change): Promise<number> {
  const { operation, done } = change;
  const { dryRun = false, state, faculty, since, reason } = options;
  requirePossible(state, change);
  const { output } = invocation;
  return withDatabase(invocation, async (db) => {
    const changed: string[] = [];
    const left: ChangedWork['left'] = [];
    for (let after: string | undefined; ; ) {
      const input = { state, faculty, since, reason, dry_run: dryRun, after, limit: PAGE };
      const { result } = await act(invocation, db, operation, { input });
      if (result.matching !== null) return report(invocation, done, result.matching);
      changed.push(...result.changed);
      left.push(...result.left);
      output.progress(`${done} ${counted(changed.length, 'item')} …`);
      if (result.next === null) break;
      after = result.next;
    }
    output.progress(null);
    output.document({ [done]: changed, left });
    output.line(styled(done, 'bold'), `  ${counted(changed.length, 'item')}`);
    if (changed.length + left.length === 0) output.note('no item matches');
    for (const { id, reason: why } of left) output.note(`left as it was: ${shortId(id)}: ${why}`);
    return left.length === 0 ? 0 : 5;
  });
}

/** Refuses an id together with a selection, and neither of them. */
export function isBulk(reference: string | undefined, { state, faculty, since, dryRun }: MatchOptions): boolean {
  const selects = state !== undefined || faculty !== undefined || since !== undefined;
  if (reference !== undefined && (selects || dryRun)) {
    throw usageError('give an id, or select items by --state, --faculty and --since; not both');
  }
  if (reference === undefined && !selects) {
    throw usageError('give the id of an item, or select items by --state, --faculty and --since');
  }
  return reference === undefined;
}

function requirePossible(state: WorkState | undefined, { done, states }: Change): void {
  if (state === undefined || states.includes(state)) return;
  const detail = `work that is ${state} cannot be ${done}; expected --state ${states.join(', ')}`;
  throw usageError(detail);
}

function report({ output }: Invocation, done: string, counts: NonNullable<ChangedWork['matching']>): number {
  const total = counts.reduce((sum, { items }) => sum + items, 0);
  output.document({ dry_run: true, matching: total, by_faculty: counts });
  output.line(`${counted(total, 'item')} would be ${done}`);
  if (total > 0)
    showTable(output, counts, [
      ['FACULTY', ({ faculty }) => faculty],
      ['STATE', ({ state }) => stateLabel(state)],
      [right('ITEMS'), ({ items }) => String(items)],
    ]);
  return 0;
}
