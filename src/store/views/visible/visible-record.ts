/** What a work item did, as the actor may see it: ledger, foci, turns and tool calls. Rows keep the names of their columns. */
import type { LedgerType } from '../../../core/work/work.ts';
import type { Queryable } from '../../sql/database.ts';

export interface VisibleEntry {
  readonly seq: number;
  readonly type: LedgerType;
  readonly content: string;
  readonly focus_id: string | null;
  readonly created_at: Date;
}

/** Entries after `after`, of one type where given, in order. */
export async function readVisibleLedger(
  tx: Queryable,
  id: string,
  { after, type, limit }: { readonly after: number; readonly type: LedgerType | null; readonly limit: number },
): Promise<VisibleEntry[]> {
  return tx.query<VisibleEntry>(
    `select seq, entry_type as type, content, focus_id, created_at from animus.visible_ledger
      where work_item_id = $1::uuid and seq > $2 and ($3::text is null or entry_type = $3) order by seq limit $4`,
    [id, after, type, limit],
  );
}

export interface VisibleFocus {
  readonly id: string;
  readonly number: number;
  readonly phase: string;
  readonly resumes: number;
  readonly ended_as: string | null;
  readonly error: unknown;
  readonly started_at: Date;
  readonly ended_at: Date | null;
}

/** All foci of an item, oldest first. */
export async function readVisibleFoci(tx: Queryable, id: string): Promise<VisibleFocus[]> {
  return tx.query<VisibleFocus>(
    `select id, number, phase, resumes, ended_as, error, started_at, ended_at from animus.visible_foci where work_item_id = $1::uuid order by number`,
    [id],
  );
}

export interface VisibleTurn {
  readonly focus_id: string;
  readonly turn: number;
  readonly provider: string | null;
  readonly model: string | null;
  readonly response: unknown;
  readonly stop_reason: string | null;
  readonly usage: unknown;
  /** USD; null: not known. */
  readonly cost_usd: number | null;
  readonly begun_at: Date;
  readonly recorded_at: Date | null;
  readonly duration_ms: number | null;
}

/** Where a page ends: a turn of a focus. */
export interface TurnCursor {
  readonly focusId: string;
  readonly turn: number;
}

/** Turns after a turn, oldest first. */
export async function readVisibleTurns(
  tx: Queryable,
  id: string,
  after: TurnCursor | null,
  limit: number,
): Promise<VisibleTurn[]> {
  return tx.query<VisibleTurn>(
    `select focus_id, turn, provider, model, response, stop_reason, usage, cost_usd::float8 as cost_usd, begun_at, recorded_at, duration_ms
       from animus.visible_turns
      where work_item_id = $1::uuid and ($2::uuid is null or (focus_id, turn) > ($2, $3::int)) order by focus_id, turn limit $4`,
    [id, after?.focusId ?? null, after?.turn ?? 0, limit],
  );
}

export interface VisibleCall {
  readonly focus_id: string;
  readonly turn: number;
  readonly position: number;
  readonly call_id: string;
  readonly parent_call_id: string | null;
  readonly name: string;
  readonly origin: string;
  readonly state: string;
  readonly input: unknown;
  readonly final_input: unknown;
  readonly output: string | null;
  readonly output_bytes: number | null;
  readonly is_error: boolean | null;
  readonly started_at: Date | null;
  readonly ended_at: Date | null;
  readonly duration_ms: number | null;
}

/** Where a page ends: a call of a turn. */
export interface CallCursor extends TurnCursor {
  readonly position: number;
  readonly callId: string;
}

/** Tool calls after a call, oldest first; `full`: whole outputs, else their first 2,000 characters. */
export async function readVisibleCalls(
  tx: Queryable,
  id: string,
  { after, full, limit }: { readonly after: CallCursor | null; readonly full: boolean; readonly limit: number },
): Promise<VisibleCall[]> {
  return tx.query<VisibleCall>(
    `select focus_id, turn, position, call_id, parent_call_id, name, origin, state, input, final_input, left(output, $7::int) as output, output_bytes,
            is_error, started_at, ended_at, duration_ms
       from animus.visible_tool_calls
      where work_item_id = $1::uuid and ($2::uuid is null or (focus_id, turn, position, call_id) > ($2, $3::int, $4::int, $5))
      order by focus_id, turn, position, call_id limit $6`,
    [
      id,
      after?.focusId ?? null,
      after?.turn ?? 0,
      after?.position ?? 0,
      after?.callId ?? '',
      limit,
      full ? WHOLE_CHARS : SHORT_CHARS,
    ],
  );
}

const SHORT_CHARS = 2000;
const WHOLE_CHARS = 10_000_000;
