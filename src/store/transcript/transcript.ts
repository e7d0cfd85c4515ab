/** The durable transcript of a focus: everything needed to resume after a crash and to send the same requests again. */
import type { Queryable } from '../sql/database.ts';
import type { RecordedCall } from './calls.ts';
import type { EngineMessage } from './messages.ts';
import type { RecordedTurn } from './turns.ts';

/** Everything recorded of a focus, in order; turns that were begun and never answered are left out: they are requested again. */
export interface Transcript {
  readonly turns: readonly RecordedTurn[];
  readonly messages: readonly EngineMessage[];
}

/** Reads what is recorded. Files that came with the work are only named: `readTranscriptToSend` reads their bytes too. */
export async function readTranscript(db: Queryable, focusId: string): Promise<Transcript> {
  const turns = await db.query<Omit<RecordedTurn, 'calls'>>(
    `select turn, provider, model, response as content, stop_reason as "stopReason", cut_tool_calls as "cutToolCalls",
            case when usage ? 'reported' then null else (usage ->> 'input')::int end as "inputTokens"
       from animus.turns where focus_id = $1 and recorded_at is not null order by turn`,
    [focusId],
  );
  const calls = await db.query<RecordedCall & { turn: number }>(
    `select turn, call_id as "callId", name, input, final_input as "finalInput", state, output, coalesce(is_error, false) as "isError"
       from animus.tool_calls where focus_id = $1 and origin = 'model' order by turn, position`,
    [focusId],
  );
  const messages = await db.query<EngineMessage & { keepsFrom: number | null; artifactId: string | null }>(
    `select after_turn as "afterTurn", kind, content, keeps_from as "keepsFrom", artifact_id as "artifactId"
       from animus.focus_messages where focus_id = $1 order by seq`,
    [focusId],
  );
  const byTurn = Map.groupBy(calls, (call) => call.turn);
  return {
    turns: turns.map((turn) => ({
      ...turn,
      calls: (byTurn.get(turn.turn) ?? []).map(({ turn: _turn, ...call }) => call),
    })),
    messages: messages.map(({ keepsFrom, artifactId, ...message }) => ({
      ...message,
      ...(keepsFrom !== null && { keepsFrom }),
      ...(artifactId !== null && { artifactId }),
    })),
  };
}
