/** `animus memory merge|merges|unmerge`. */
import { systemClock } from '../../core/lifecycle/clock.ts';
import { updateMemory } from '../../store/memory/memories.ts';
import { listMemoryMerges, type MemoryMerge, unmergeMemory } from '../../store/memory/memory-merges.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { untilUnlocked } from '../../store/sql/patient-database.ts';
import type { CommonOptions, Invocation } from '../../terminal/command/command.ts';
import { withDatabase } from '../../terminal/command/database.ts';
import { styled } from '../../terminal/view/output.ts';
import { age, shortDescription, shortId } from '../../terminal/view/quantities.ts';
import { memoryIds } from './values.ts';

interface ListOptions extends CommonOptions {
  readonly limit: number;
}

/** How long a place that another transaction has locked is waited for. */
const PATIENCE = { clock: systemClock, forMs: 5000 } as const;
/** How much of a text is shown; --json has all. */
const SHOWN_CHARS = 500;

/** All or none: one transaction. */
export async function mergeMemories(
  invocation: Invocation,
  _options: CommonOptions,
  given: string,
  ids: readonly string[],
): Promise<number> {
  const { output } = invocation;
  const [into] = memoryIds([given]);
  const merged = await atOnce(invocation, async (tx) => {
    const gone: string[] = [];
    for (const id of memoryIds(ids)) gone.push(...(await updateMemory(tx, into!, { merge: id }, null)).mergedIds);
    return gone;
  });
  output.document({ into, merged });
  for (const id of merged)
    output.line(styled(id, 'bold'), `  is part of ${into} now; to undo: animus memory unmerge ${id}`);
  return 0;
}

/** Both texts of each merge, so that a person sees whether they say the same. */
export async function memoryMerges(invocation: Invocation, { limit }: ListOptions): Promise<number> {
  const { output } = invocation;
  const merges = await withDatabase(invocation, (db) => listMemoryMerges(db, limit));
  output.document({ merges: merges.map(documentOf) });
  for (const merge of merges) {
    output.line(
      styled(merge.id, 'bold'),
      `  into ${merge.intoId}`,
      styled(`  ${age(merge.mergedAt, Date.now())}, ${reasonOf(merge)}`, 'dim'),
    );
    output.block(`was:   ${shortDescription(merge.content, SHOWN_CHARS)}`, '   ');
    output.block(`found: ${shortDescription(merge.intoContent, SHOWN_CHARS)}`, '   ');
  }
  output.note(merges.length === 0 ? 'no memory was merged into another' : 'to undo one: animus memory unmerge ID');
  return 0;
}

/** All or none: one transaction. */
export async function unmergeMemories(
  invocation: Invocation,
  _options: CommonOptions,
  ids: readonly string[],
): Promise<number> {
  const { output } = invocation;
  const undone = await atOnce(invocation, async (tx) => {
    const found: { id: string; from: string }[] = [];
    for (const id of memoryIds(ids)) found.push({ id, from: await unmergeMemory(tx, id) });
    return found;
  });
  output.document({ unmerged: undone });
  for (const { id, from } of undone) output.line(styled(id, 'bold'), `  is found again; it was part of ${from}`);
  return 0;
}

function atOnce<T>(invocation: Invocation, act: (tx: Queryable) => Promise<T>): Promise<T> {
  return withDatabase(invocation, (db) => untilUnlocked(() => db.transaction(act), PATIENCE));
}

function reasonOf({ reason, actor, workItemId }: MemoryMerge): string {
  if (reason === 'similar') return 'by an earlier version of animus, because they were alike';
  const by = workItemId === null ? (actor ?? 'unknown') : `work ${shortId(workItemId)}`;
  return reason === 'same_text' ? `it had the same text (by ${by})` : `by ${by}`;
}

function documentOf(merge: MemoryMerge) {
  return {
    id: merge.id,
    into_id: merge.intoId,
    reason: merge.reason,
    actor: merge.actor,
    work_item_id: merge.workItemId,
    merged_at: merge.mergedAt,
    layer: merge.layer,
    project: merge.project,
    kind: merge.kind,
    content: merge.content,
    into_content: merge.intoContent,
    submitted_by: merge.submittedBy,
  };
}
