/** `animus work cancel|retry` for all items that match, each with a row of the audit. */
import { AnimusError, isAnimusError } from '../../../core/errors/errors.ts';
import type { WorkState } from '../../../core/work/work.ts';
import type { Database } from '../../../store/sql/database.ts';
import { countMatchingWork, matchingWork, type WorkMatch } from '../../../store/views/matching-work.ts';
import type { CommonOptions, Invocation } from '../../../terminal/command/command.ts';
import { withDatabase } from '../../../terminal/command/database.ts';
import { styled } from '../../../terminal/view/output.ts';
import { counted, shortId, stateLabel } from '../../../terminal/view/quantities.ts';

/** The options that select items. */
export interface MatchOptions extends CommonOptions {
  readonly state?: WorkState;
  readonly faculty?: string;
  readonly since?: Date;
  readonly dryRun?: boolean;
}

/** What is done to each item: `done` says it in the past tense. */
export interface BulkOperation {
  readonly done: string;
  /** The states to which it applies; without `--state`, all of them. */
  readonly states: readonly WorkState[];
  /** Rejects with an AnimusError where the item was not changed. */
  run(db: Database, id: string): Promise<void>;
  /** Does it to all of a page, or rejects and has changed none. Without it, they are run one by one. */
  runAll?(db: Database, ids: readonly string[]): Promise<void>;
}

/** Errors of one item that leave the others alone. */
const PER_ITEM = ['work.state', 'work.locked', 'work.not_found'] as const;

/** Runs the operation on everything that matches, or with `--dry-run` only counts it. Exits 5 if an item was left as it was. */
export async function operateOnMatching(
  invocation: Invocation,
  options: MatchOptions,
  operation: BulkOperation,
): Promise<number> {
  const match = matchOf(options, operation);
  const { output } = invocation;
  return withDatabase(invocation, async (db) => {
    if (options.dryRun) return report(invocation, operation, await countMatchingWork(db, match));
    const done: string[] = [];
    const left: { readonly id: string; readonly reason: string }[] = [];
    for await (const page of matchingWork(db, match)) {
      const { runAll } = operation;
      const allDone = runAll !== undefined && (await reasonLeft(() => runAll(db, page))) === null;
      if (allDone) done.push(...page);
      for (const id of allDone ? [] : page) {
        const reason = await reasonLeft(() => operation.run(db, id));
        if (reason === null) done.push(id);
        else left.push({ id, reason });
        output.progress(`${operation.done} ${counted(done.length, 'item')} …`);
      }
      output.progress(`${operation.done} ${counted(done.length, 'item')} …`);
    }
    output.progress(null);
    output.document({ [operation.done]: done, left });
    output.line(styled(operation.done, 'bold'), `  ${counted(done.length, 'item')}`);
    if (done.length + left.length === 0) output.note('no item matches');
    for (const { id, reason } of left) output.note(`left as it was: ${shortId(id)}: ${reason}`);
    return left.length === 0 ? 0 : 5;
  });
}

/** Refuses an id together with a selection, and neither of them. */
export function isBulk(reference: string | undefined, { state, faculty, since, dryRun }: MatchOptions): boolean {
  const selects = state !== undefined || faculty !== undefined || since !== undefined;
  if (reference !== undefined && (selects || dryRun)) {
    throw new AnimusError('usage.invalid', {
      detail: 'give an id, or select items by --state, --faculty and --since; not both',
    });
  }
  if (reference === undefined && !selects) {
    throw new AnimusError('usage.invalid', {
      detail: 'give the id of an item, or select items by --state, --faculty and --since',
    });
  }
  return reference === undefined;
}

function matchOf({ state, faculty, since }: MatchOptions, { done, states }: BulkOperation): WorkMatch {
  if (state !== undefined && !states.includes(state)) {
    const detail = `work that is ${state} cannot be ${done}; expected --state ${states.join(', ')}`;
    throw new AnimusError('usage.invalid', { detail });
  }
  return { states: state === undefined ? states : [state], faculty, since };
}

function report(
  { output }: Invocation,
  { done }: BulkOperation,
  counts: Awaited<ReturnType<typeof countMatchingWork>>,
): number {
  const total = counts.reduce((sum, { items }) => sum + items, 0);
  output.document({ dry_run: true, matching: total, by_faculty: counts });
  output.line(`${counted(total, 'item')} would be ${done}`);
  const columns = [{ title: 'FACULTY' }, { title: 'STATE' }, { title: 'ITEMS', align: 'right' as const }];
  if (total > 0)
    output.table(
      columns,
      counts.map(({ faculty, state, items }) => [faculty, stateLabel(state), String(items)]),
    );
  return 0;
}

async function reasonLeft(operate: () => Promise<void>): Promise<string | null> {
  try {
    await operate();
    return null;
  } catch (error) {
    if (PER_ITEM.some((code) => isAnimusError(error, code))) return (error as AnimusError).message;
    throw error;
  }
}
