/** Work items with a running focus, created through the SQL functions that a daemon calls. */
import { randomUUID } from 'node:crypto';
import type { Queryable } from '../../src/store/sql/database.ts';
import { type FocusKey, startFocus } from '../../src/store/transcript/focus-row.ts';
import { answeredTurn, recordTurn } from '../../src/store/transcript/turns.ts';
import { type ClaimableFaculty, type ClaimedWork, claimWork } from '../../src/store/work/work.ts';
import { beginTurn } from './begun-turn.ts';

/** A claimed item and the keys that its focus writes with. */
export type FocusedWork = ClaimedWork & { readonly key: FocusKey };

/** Inserts an item of a new faculty (or of the named one), claims it and starts its focus. */
export async function beginFocus(
  db: Queryable,
  options: { readonly id?: string; readonly concurrencyKey?: string } = {},
): Promise<FocusedWork> {
  const [item] = await db.query<{ id: string; faculty: string }>(
    options.id === undefined
      ? 'insert into animus.work_items (faculty, concurrency_key) values ($1, $2) returning id, faculty'
      : 'select id, faculty from animus.work_items where id = $1',
    options.id === undefined ? [`f${randomUUID()}`, options.concurrencyKey ?? null] : [options.id],
  );
  const [work] = await claimWork(db, randomUUID(), claimable(item!.faculty, true), 1, 60);
  if (work?.id !== item!.id) throw new Error(`${item!.id} was not claimed`);
  const row = await startFocus(db, work, {
    host: 'test',
    directoryRoot: '/nowhere',
    facultySnapshot: {},
    systemPrompt: 'You test.',
    tools: [],
  });
  return { ...work, key: { workItemId: work.id, leaseToken: work.leaseToken, focusId: row.id } };
}

/** The faculties argument of a claim for this faculty alone; a daemon of an earlier version does not know `batches`. */
export function claimable(faculty: string, batches = false): Record<string, ClaimableFaculty> {
  return { [faculty]: { max: 1_000_000, max_attempts: 5, dedup_until: 'resolved', ...(batches && { batches }) } };
}

/** Records a turn with calls of `tool` that have these ids, all started. */
export async function recordCalls(
  db: Queryable,
  work: FocusedWork,
  turn: number,
  callIds: readonly string[],
  tool = 'ask_human',
): Promise<void> {
  await beginTurn(db, work.key, turn, 0);
  const content = callIds.map((id) => ({ type: 'tool_call' as const, id, name: tool, input: {} }));
  const answer = {
    provider: 'test',
    model: 'test',
    responseId: null,
    content,
    stopReason: 'tool_use' as const,
    rawStopReason: null,
    cutToolCalls: [],
    usage: null,
    timeToFirstTokenMs: null,
    durationMs: 0,
  };
  await recordTurn(db, work.key, answeredTurn(turn, answer), answer, 0);
}

/** The item's row. */
export async function itemOf(db: Queryable, id: string): Promise<Record<string, unknown>> {
  const [row] = await db.query('select * from animus.work_items where id = $1', [id]);
  return row!;
}
