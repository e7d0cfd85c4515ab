/** The durable transcript of a focus: everything needed to resume after a crash and to send the same requests again. */
import type { Queryable } from '../sql/database.ts';
import type { CodeEntry, RecordedCall } from './calls.ts';
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
  // Of the calls that code made, only its ledger entries count: a step closes a block.
  const rows = await db.query<CallRow>(
    `select turn, call_id as "callId", name, input, final_input as "finalInput", state, output, coalesce(is_error, false) as "isError",
            parent_call_id as "parentCallId"
       from animus.tool_calls
      where focus_id = $1 and (origin = 'model' or origin = 'sandbox' and name = 'ledger_append' and state = 'done') order by turn, position`,
    [focusId],
  );
  const messages = await db.query<EngineMessage & { keepsFrom: number | null; artifactId: string | null }>(
    `select after_turn as "afterTurn", kind, content, keeps_from as "keepsFrom", artifact_id as "artifactId"
       from animus.focus_messages where focus_id = $1 order by seq`,
    [focusId],
  );
  const byTurn = Map.groupBy(rows, (call) => call.turn);
  return {
    turns: turns.map((turn) => ({
      ...turn,
      calls: callsOf(byTurn.get(turn.turn) ?? []),
    })),
    messages: messages.map(({ keepsFrom, artifactId, ...message }) => ({
      ...message,
      ...(keepsFrom !== null && { keepsFrom }),
      ...(artifactId !== null && { artifactId }),
    })),
  };
}

type CallRow = RecordedCall & { readonly turn: number; readonly parentCallId: string | null };

function callsOf(rows: readonly CallRow[]): RecordedCall[] {
  const fromCode = rows.filter(({ parentCallId }) => parentCallId !== null);
  return rows
    .filter(({ parentCallId }) => parentCallId === null)
    .map(({ turn: _turn, parentCallId: _parent, ...call }) => {
      const wrote = fromCode.filter(({ parentCallId }) => parentCallId === call.callId).map(codeEntry);
      return wrote.length === 0 ? call : { ...call, wrote };
    });
}

/** A call that is done was valid, so its input has the form of the tool. */
export function codeEntry({ input, finalInput }: Pick<RecordedCall, 'input' | 'finalInput'>): CodeEntry {
  const { type, content } = (finalInput ?? input) as unknown as CodeEntry;
  return { type, content };
}
