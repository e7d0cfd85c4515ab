/** The durable transcript of a focus: everything needed to resume after a crash and to send the same requests again. */
import type { Queryable } from '../sql/database.ts';
import type { CodeEntry, RecordedCall } from './calls.ts';
import type { EngineMessage } from './messages.ts';
import { type ShownFileRow, shownOfRow } from './shown-files.ts';
import type { RecordedTurn } from './turns.ts';

/** Everything recorded of a focus, in order; turns that were begun and never answered are left out: they are requested again. */
export interface Transcript {
  readonly turns: readonly RecordedTurn[];
  readonly messages: readonly EngineMessage[];
}

/**
 * What the focus itself has recorded: not what it inherits from the answers before it in its conversation, which always comes first. The limits
 * and reminders of an answer look at this.
 */
export function ownPart(transcript: Transcript): Transcript {
  if (transcript.messages[0]?.era === undefined && transcript.turns[0]?.era === undefined) return transcript;
  return {
    turns: transcript.turns.filter(({ era }) => era === undefined),
    messages: transcript.messages.filter(({ era }) => era === undefined),
  };
}

/** Reads what is recorded, of a focus that goes on with others with all of theirs. Files that came with the work or with results are only named: `readTranscriptToSend` reads their bytes too. */
export async function readTranscript(db: Queryable, focusId: string): Promise<Transcript> {
  const turns = await db.query<Omit<RecordedTurn, 'calls' | 'era'> & Era>(
    `${CHAIN} select ${ERA}, turn, provider, model, response as content, stop_reason as "stopReason", cut_tool_calls as "cutToolCalls",
            case when usage ?| array['reported', 'estimated'] then null else (usage ->> 'input')::int end as "inputTokens"
       from chain c join animus.turns t on t.focus_id = c.id where recorded_at is not null order by turn`,
    [focusId],
  );
  // The results of earlier answers of a conversation are in no request any more; only a summary may still be made of them.
  // Of the calls that code made, only its ledger entries count: a step closes a block.
  const rows = await db.query<CallRow>(
    `${CHAIN} select turn, call_id as "callId", name, input, final_input as "finalInput", state,
            case when c.n > 1 then left(output, 2000) else output end as output, coalesce(is_error, false) as "isError",
            parent_call_id as "parentCallId", case when c.n = 0 then details -> 'shown' end as shown
       from chain c join animus.tool_calls t on t.focus_id = c.id
      where (origin = 'model' or origin = 'sandbox' and name = 'ledger_append' and state = 'done') order by turn, position`,
    [focusId],
  );
  const messages = await db.query<
    Omit<EngineMessage, 'era'> & { keepsFrom: number | null; artifactId: string | null } & Era
  >(
    `${CHAIN} select ${ERA}, after_turn as "afterTurn", kind, content, keeps_from as "keepsFrom", artifact_id as "artifactId"
       from chain c join animus.focus_messages m on m.focus_id = c.id order by c.n desc, seq`,
    [focusId],
  );
  const byTurn = Map.groupBy(rows, (call) => call.turn);
  return {
    turns: turns.map(({ era, ...turn }) => ({
      ...turn,
      ...(era !== null && { era }),
      calls: callsOf(byTurn.get(turn.turn) ?? []),
    })),
    messages: messages.map(({ era, keepsFrom, artifactId, ...message }) => ({
      ...message,
      ...(era !== null && { era }),
      ...(keepsFrom !== null && { keepsFrom }),
      ...(artifactId !== null && { artifactId }),
    })),
  };
}

/** The focus $1 and those that it goes on with, numbered back from it. */
export const CHAIN = `with recursive chain (id, continues, n) as (
       select id, continues, 0 from animus.foci where id = $1
       union all select f.id, f.continues, c.n + 1 from chain c join animus.foci f on f.id = c.continues)`;
/** Which answer of the chain a row is from, from 1; null: from the focus itself. */
const ERA = 'case when c.n > 0 then (select max(n) from chain) - c.n + 1 end as era';
interface Era {
  readonly era: number | null;
}

type CallRow = Omit<RecordedCall, 'shown'> & {
  readonly turn: number;
  readonly parentCallId: string | null;
  readonly shown: readonly ShownFileRow[] | null;
};

function callsOf(rows: readonly CallRow[]): RecordedCall[] {
  const fromCode = rows.filter(({ parentCallId }) => parentCallId !== null);
  return rows
    .filter(({ parentCallId }) => parentCallId === null)
    .map(({ turn: _turn, parentCallId: _parent, shown, ...call }) => {
      const wrote = fromCode.filter(({ parentCallId }) => parentCallId === call.callId).map(codeEntry);
      return { ...call, ...(wrote.length > 0 && { wrote }), ...(shown !== null && { shown: shown.map(shownOfRow) }) };
    });
}

/** A call that is done was valid, so its input has the form of the tool. */
export function codeEntry({ input, finalInput }: Pick<RecordedCall, 'input' | 'finalInput'>): CodeEntry {
  const { type, content } = (finalInput ?? input) as unknown as CodeEntry;
  return { type, content };
}
