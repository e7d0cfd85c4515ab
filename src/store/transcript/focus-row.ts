/** The row of a focus: begun or resumed, and moved from phase to phase. */

import type { ToolSpec } from '../../core/work/conversation.ts';
import type { Phase } from '../../core/work/words.ts';
import type { Queryable } from '../sql/database.ts';
import { readValue } from '../sql/read-value.ts';
import type { BudgetLeft } from '../work/budgets.ts';
import type { Claimed } from '../work/work.ts';
import { encodeSettings, type FocusSettings } from './focus-settings.ts';

/** The key of every write of a focus: the lease that fences it and the focus it belongs to. */
export interface FocusKey {
  readonly workItemId: string;
  readonly leaseToken: string;
  readonly focusId: string;
}

/** A focus as stored. Snapshot, prompt and tools are those it began with, even when it is resumed. */
export interface FocusRow {
  readonly id: string;
  readonly number: number;
  readonly phase: Phase;
  readonly directory: string;
  readonly resumes: number;
  readonly facultySnapshot: Readonly<Record<string, unknown>>;
  readonly systemPrompt: string;
  readonly tools: readonly ToolSpec[];
  /** False: the item's ledger was empty when the focus began. */
  readonly hasLedger: boolean;
  /** The limits that applied to the item when the focus began or was resumed; null: none. */
  readonly budget: readonly BudgetLeft[] | null;
}

/** The columns of `FocusRow`, of what `begin_focus` and `continue_focus` return; $1 is the item. */
export const FOCUS_ROW = `id, number, phase, directory, resumes, faculty_snapshot as "facultySnapshot", system_prompt as "systemPrompt", tools,
  has_ledger as "hasLedger", (select animus.budget_left($1)) as budget`;

/** Begins a focus on a claimed item, or resumes the open one. Settings that many foci share are sent and stored once. */
export async function startFocus(
  db: Queryable,
  work: Claimed,
  begin: FocusSettings & { readonly host: string; readonly directoryRoot: string },
): Promise<FocusRow> {
  const settings = encodeSettings(begin);
  const begun = () =>
    db.query<FocusRow>(`select ${FOCUS_ROW} from animus.begin_focus($1, $2, $3, $4, $5)`, [
      work.id,
      work.leaseToken,
      begin.host,
      begin.directoryRoot,
      settings.id,
    ]);
  let [row] = await begun();
  if (!row) {
    await db.query('select animus.keep_focus_settings($1, $2::jsonb, $3, $4::json)', [settings.id, ...settings.values]);
    [row] = await begun();
  }
  return row!.resumes > 0 ? row! : { ...row!, ...settings.readBack };
}

/** Moves a focus to another phase. */
export async function setPhase(db: Queryable, focus: FocusKey, phase: Phase): Promise<void> {
  await db.query(`select animus.set_phase($1, $2, $3)`, [focus.focusId, focus.leaseToken, phase]);
}

/**
 * Returns the recorded running time of the focus's newest attempt in milliseconds: for each turn, the time of its answer and of its
 * longest call. Time spent waiting, queued or dead does not count, and neither does work that a crash interrupted. `failureNotice` is
 * the beginning of the message that ended the previous attempt.
 */
export async function readRunningMs(db: Queryable, focusId: string, failureNotice: string): Promise<number> {
  return readValue<number>(
    db,
    `select coalesce(sum(coalesce(t.duration_ms, 0) + coalesce(c.longest, 0)), 0) as ms
       from animus.turns t
       left join lateral (
         select max(c.duration_ms) as longest from animus.tool_calls c join animus.foci f on f.id = c.focus_id
          where c.focus_id = t.focus_id and c.turn = t.turn and c.origin = 'model' and c.state <> 'in_doubt'
            and not exists (select from animus.waits w where w.work_item_id = f.work_item_id and w.call_id = c.call_id
                              and (c.started_at is null or w.created_at >= c.started_at))) c on true
      where t.focus_id = $1 and t.recorded_at is not null
        and t.turn > (select coalesce(max(m.after_turn), 0) from animus.focus_messages m where m.focus_id = $1 and m.kind = 'notice' and starts_with(m.content, $2))`,
    [focusId, failureNotice],
  );
}

/** A focus that has ended, and how many days ago by the database's clock. */
export interface EndedFocus {
  readonly id: string;
  readonly days: number;
}

/** Returns those of the foci that have ended. */
export async function endedFoci(db: Queryable, ids: readonly string[]): Promise<EndedFocus[]> {
  return db.query<EndedFocus>(
    `select id, (extract(epoch from animus.now() - ended_at) / 86400)::float8 as days
       from animus.foci where id = any ($1::uuid[]) and ended_as is not null`,
    [ids],
  );
}
