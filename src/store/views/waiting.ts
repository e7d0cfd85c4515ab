/** Why work waits (`animus.why_waiting`): the one answer, which each view of work has in `waiting`. */
import type { Waiting } from '../../core/work/waiting.ts';
import { isTerminal, type WorkState } from '../../core/work/work.ts';
import type { Queryable } from '../sql/database.ts';
import { WAITING_COLUMNS } from '../work/waiting-columns.ts';

/** By id, for those of the items that wait and that the actor may see. */
async function readWaiting(db: Queryable, ids: readonly string[]): Promise<ReadonlyMap<string, Waiting>> {
  const rows = await db.query<Waiting & { readonly work_item_id: string }>(
    `select y.work_item_id, ${WAITING_COLUMNS} from animus.why_waiting($1::uuid[]) y`,
    [ids],
  );
  return new Map(rows.map(({ work_item_id: id, ...waiting }) => [id, waiting]));
}

/** Why one item waits; null: it does not, or is not there. */
export async function whyWaiting(db: Queryable, id: string): Promise<Waiting | null> {
  return (await readWaiting(db, [id])).get(id) ?? null;
}

/** The rows, each with why it waits. One more statement for all of them, and none where nothing of them can wait. */
export async function withWaiting<Row extends { readonly id: string; readonly state: WorkState }>(
  db: Queryable,
  rows: readonly Row[],
): Promise<(Row & { readonly waiting: Waiting | null })[]> {
  const open = rows.filter(({ state }) => !isTerminal(state) && state !== 'running').map(({ id }) => id);
  const waiting = open.length === 0 ? null : await readWaiting(db, open);
  return rows.map((row) => ({ ...row, waiting: waiting?.get(row.id) ?? null }));
}
