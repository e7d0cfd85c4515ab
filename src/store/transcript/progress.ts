/**
 * Reads everything that can be watched of an item in one snapshot: one statement, so that no part is newer than
 * another.
 */
import { AnimusError } from '../../core/errors/errors.ts';
import type { Phase, WaitKind } from '../../core/work/words.ts';
import type { LedgerType, WorkState } from '../../core/work/work.ts';
import type { Queryable } from '../sql/database.ts';
import type { CallState } from './calls.ts';

/** The position of a follower: turns before this one, of this focus (by number), and entries up to this one are not read again. */
export interface ProgressCursor {
  readonly focus: number;
  readonly turn: number;
  readonly ledger: number;
}

/** Times are milliseconds since the epoch, with fractions. */
export interface Progress {
  readonly state: WorkState;
  readonly faculty: string;
  readonly mergedInto: string | null;
  readonly error: unknown;
  readonly resolvedAtMs: number | null;
  readonly foci: readonly FocusProgress[];
  readonly turns: readonly TurnProgress[];
  readonly calls: readonly CallProgress[];
  readonly ledger: readonly LedgerProgress[];
  readonly mail: readonly MailProgress[];
}

export interface FocusProgress {
  readonly id: string;
  readonly number: number;
  readonly resumes: number;
  readonly phase: Phase;
  readonly model: string | null;
  readonly endedAs: string | null;
  readonly error: unknown;
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
}

export interface TurnProgress {
  readonly focus: number;
  readonly turn: number;
  readonly begunAtMs: number;
  /** Null while the model is asked. */
  readonly recordedAtMs: number | null;
  /** `provider/model`. */
  readonly answeredBy: string | null;
  /** The first 1,000,000 characters. */
  readonly text: string | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** True if the provider did not count them; null or false otherwise. */
  readonly estimated: boolean | null;
}

/** A recorded call; `startedAtMs` is null while it is pending, and if it never ran. `output` is cut after 4,000 characters. */
export interface CallProgress {
  readonly focus: number;
  readonly turn: number;
  readonly callId: string;
  /** The call whose code made this one; null for a call of the model. */
  readonly parentCallId: string | null;
  readonly name: string;
  readonly input: object;
  readonly state: CallState;
  readonly isError: boolean;
  readonly output: string | null;
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
  readonly durationMs: number | null;
  /** Where it waits or has waited. */
  readonly waitKind: WaitKind | null;
  readonly waitDeadline: string | null;
  readonly waitAtMs: number | null;
}

export interface LedgerProgress {
  readonly seq: number;
  readonly type: LedgerType;
  readonly content: string;
  readonly atMs: number;
}

/** What somebody said; the first 4,000 characters. */
export interface MailProgress {
  readonly id: number;
  readonly author: string;
  readonly text: string;
  readonly wake: boolean;
  readonly atMs: number;
  readonly deliveredAtMs: number | null;
  /** With which it was delivered. */
  readonly turn: number | null;
}

/** What there is from the cursor on. Errors: `work.not_found`. */
export async function readProgress(db: Queryable, id: string, from: ProgressCursor): Promise<Progress> {
  const [row] = await db.query<Progress>(
    `select w.state, w.faculty, w.merged_into as "mergedInto", w.error, (extract(epoch from w.resolved_at) * 1000)::float8 as "resolvedAtMs",
       (select coalesce(json_agg(json_build_object('id', f.id, 'number', f.number, 'resumes', f.resumes, 'phase', f.phase,
                 'model', coalesce(f.faculty_snapshot, s.faculty_snapshot) #>> '{engage,model}', 'endedAs', f.ended_as, 'error', f.error,
                 'startedAtMs', extract(epoch from f.started_at) * 1000, 'endedAtMs', extract(epoch from f.ended_at) * 1000) order by f.number), '[]')
          from animus.foci f left join animus.focus_settings s on s.id = f.settings_id where f.work_item_id = w.id) as foci,
       (select coalesce(json_agg(json_build_object('focus', f.number, 'turn', t.turn, 'begunAtMs', extract(epoch from t.begun_at) * 1000,
                 'recordedAtMs', extract(epoch from t.recorded_at) * 1000, 'answeredBy', t.provider || '/' || t.model,
                 'text', (select left(string_agg(b ->> 'text', '' order by n), 1000000) from json_array_elements(t.response) with ordinality as e (b, n)
                           where b ->> 'type' = 'text'),
                 'inputTokens', (t.usage ->> 'input')::float8, 'outputTokens', (t.usage ->> 'output')::float8,
                 'estimated', t.usage -> 'estimated') order by f.number, t.turn), '[]')
          from animus.all_turns t join animus.foci f on f.id = t.focus_id
         where t.work_item_id = w.id and (f.number, t.turn) >= ($2::int, $3::int)) as turns,
       (select coalesce(json_agg(json_build_object('focus', f.number, 'turn', c.turn, 'callId', c.call_id, 'parentCallId', c.parent_call_id, 'name', c.name, 'input', coalesce(c.final_input, c.input),
                 'state', c.state, 'isError', coalesce(c.is_error, false), 'output', left(c.output, 4000),
                 'startedAtMs', extract(epoch from c.started_at) * 1000, 'endedAtMs', extract(epoch from c.ended_at) * 1000,
                 'durationMs', round(c.duration_ms::numeric, 3), 'waitKind', v.kind, 'waitDeadline', v.deadline,
                 'waitAtMs', extract(epoch from v.created_at) * 1000) order by f.number, c.turn, c.position), '[]')
          from animus.all_tool_calls c join animus.foci f on f.id = c.focus_id
          left join animus.waits v on v.work_item_id = w.id and v.call_id = c.call_id
                and (v.focus_id = c.focus_id and v.turn = c.turn
                     or v.focus_id is null and v.created_at >= c.started_at and (c.ended_at is null or v.created_at <= c.ended_at))
         where c.work_item_id = w.id and (f.number, c.turn) >= ($2::int, $3::int)) as calls,
       (select coalesce(json_agg(json_build_object('seq', l.seq, 'type', l.entry_type, 'content', l.content,
                 'atMs', extract(epoch from l.created_at) * 1000) order by l.seq), '[]')
          from animus.all_ledger l where l.work_item_id = w.id and l.seq > $4) as ledger,
       (select coalesce(json_agg(json_build_object('id', m.id, 'author', m.author, 'text', left(m.text, 4000), 'wake', m.wake,
                 'atMs', extract(epoch from m.created_at) * 1000, 'deliveredAtMs', extract(epoch from m.delivered_at) * 1000,
                 'turn', m.after_turn + 1) order by m.id), '[]') from animus.mailbox m where m.work_item_id = w.id) as mail
     from animus.work_items w where w.id = $1::uuid`,
    [id, from.focus, from.turn, from.ledger],
  );
  if (row === undefined) throw new AnimusError('work.not_found', { id, detail: `no work item ${id}` });
  return row;
}

/** Asks for notifications of the item (`animus_ledger`, `animus_work_done`) for the next hour. */
export async function watchWork(db: Queryable, id: string): Promise<void> {
  await db.query(`select animus.watch_work($1::uuid)`, [id]);
}
