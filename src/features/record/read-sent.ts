/** What a model was sent for a turn, rebuilt from the record as the actor may see it. */
import { estimateTokens } from '../../core/work/tokens.ts';
import { type Piece, pieces } from '../../engage/context/closed-answers.ts';
import { isFold } from '../../engage/context/context-folds.ts';
import { repeatedReads } from '../../engage/context/repeated-reads.ts';
import type { Queryable } from '../../store/sql/database.ts';
import type { EngineMessage } from '../../store/transcript/messages.ts';
import { filesFrom, type ShownFileRow, shownOfRow } from '../../store/transcript/shown-files.ts';
import { codeEntry, type Transcript } from '../../store/transcript/transcript.ts';
import type { RecordedTurn } from '../../store/transcript/turns.ts';
import type { SentRequest } from './sent-request.ts';

type Block = SentRequest['blocks'][number];

/** What was sent for a turn of a focus; null: there is no such turn. */
export async function readSentRequest(
  tx: Queryable,
  item: string,
  focusId: string,
  turn: number,
): Promise<SentRequest | null> {
  const [asked] = await tx.query<Pick<SentRequest, 'provider' | 'model' | 'input_tokens'>>(
    `select provider, model, case when usage ?| array['reported', 'estimated'] then null else (usage ->> 'input')::int end as input_tokens
       from animus.visible_turns where work_item_id = $1::uuid and focus_id = $2::uuid and turn = $3`,
    [item, focusId, turn],
  );
  if (asked === undefined) return null;
  const chain = await tx.query<Link>(
    'select focus_id, work_item_id, era, system_prompt, tools from animus.visible_focus_chain($1::uuid) order by era nulls last',
    [focusId],
  );
  const transcript = await readBefore(tx, chain, turn);
  const parts = pieces(transcript);
  const repeated = repeatedReads(parts.flatMap((piece) => ('turn' in piece && !piece.saidOnly ? [piece.turn] : [])));
  const shownFrom = filesFrom(transcript.messages);
  const first = new Map(transcript.messages.filter(isFold).map((fold, at, all) => [fold, all[at - 1]?.keepsFrom ?? 1]));
  const blocks = parts.flatMap((piece) =>
    'message' in piece ? [messageBlock(piece.message, first)] : turnBlocks(piece, repeated, shownFrom),
  );
  const sent = new Set(parts.flatMap((piece) => ('turn' in piece ? [piece.turn.turn] : [])));
  const own = chain.at(-1);
  return {
    focus_id: focusId,
    turn,
    ...asked,
    system_prompt: own?.system_prompt ?? null,
    tools: own?.tools ?? null,
    blocks,
    replaced: transcript.turns
      .filter((one) => !sent.has(one.turn))
      .map((one) => ({ turn: one.turn, tokens: tokensOfTurn(one), by: replacerOf(one.turn, blocks) })),
  };
}

interface Link {
  readonly focus_id: string;
  readonly work_item_id: string;
  /** Null: the focus itself. */
  readonly era: number | null;
  readonly system_prompt: string | null;
  readonly tools: unknown;
}

/** What was recorded before a turn, of the answers before in its conversation, too. */
async function readBefore(tx: Queryable, chain: readonly Link[], before: number): Promise<Transcript> {
  const turns: RecordedTurn[] = [];
  const messages: EngineMessage[] = [];
  for (const { work_item_id: item, focus_id: focus, era } of chain) {
    const of = era === null ? {} : { era };
    const place = [item, focus, before];
    const calls = await tx.query<CallRow>(CALLS, place);
    const byTurn = Map.groupBy(calls, (call) => call.turn);
    for (const one of await tx.query<Omit<RecordedTurn, 'calls'>>(TURNS, place))
      turns.push({ ...one, ...of, calls: callsOf(byTurn.get(one.turn) ?? []) });
    for (const { keepsFrom, artifactId, ...one } of await tx.query<MessageRow>(MESSAGES, place)) {
      messages.push({
        ...one,
        ...of,
        ...(keepsFrom !== null && { keepsFrom }),
        ...(artifactId !== null && { artifactId }),
      });
    }
  }
  return { turns, messages };
}

type MessageRow = Omit<EngineMessage, 'keepsFrom' | 'artifactId'> & {
  keepsFrom: number | null;
  artifactId: string | null;
};
type CallRow = Omit<RecordedTurn['calls'][number], 'shown'> & {
  readonly turn: number;
  readonly parentCallId: string | null;
  readonly shown: readonly ShownFileRow[] | null;
};

const TURNS = `select turn, provider, model, response as content, stop_reason as "stopReason", cut_tool_calls as "cutToolCalls", null as "inputTokens"
  from animus.visible_turns where work_item_id = $1::uuid and focus_id = $2::uuid and turn < $3 and recorded_at is not null order by turn`;
const CALLS = `select turn, call_id as "callId", name, input, final_input as "finalInput", state, coalesce(output, '') as output, coalesce(is_error, false) as "isError",
       parent_call_id as "parentCallId", details -> 'shown' as shown
  from animus.visible_tool_calls where work_item_id = $1::uuid and focus_id = $2::uuid and turn < $3
   and (origin = 'model' or origin = 'sandbox' and name = 'ledger_append' and state = 'done') order by turn, position`;
const MESSAGES = `select after_turn as "afterTurn", kind, content, keeps_from as "keepsFrom", artifact_id as "artifactId"
  from animus.visible_messages where work_item_id = $1::uuid and focus_id = $2::uuid and after_turn < $3 order by seq`;

function callsOf(rows: readonly CallRow[]): RecordedTurn['calls'] {
  const fromCode = rows.filter(({ parentCallId }) => parentCallId !== null);
  return rows
    .filter(({ parentCallId }) => parentCallId === null)
    .map(({ turn: _turn, parentCallId: _parent, shown, ...call }) => {
      const wrote = fromCode.filter(({ parentCallId }) => parentCallId === call.callId).map(codeEntry);
      return { ...call, ...(wrote.length > 0 && { wrote }), ...(shown !== null && { shown: shown.map(shownOfRow) }) };
    });
}

function messageBlock(message: EngineMessage, first: ReadonlyMap<EngineMessage, number>): Block {
  const { kind, afterTurn: turn, content, artifactId, keepsFrom } = message;
  const file = artifactId === undefined ? [] : [{ type: 'file', artifact_id: artifactId }];
  const from = kind === 'summary' ? 1 : first.get(message);
  const replaces = keepsFrom === undefined || from === undefined ? null : { from, to: keepsFrom - 1 };
  return {
    role: 'user',
    kind,
    turn,
    content: [{ type: 'text', text: content }, ...file],
    tokens: estimateTokens(content),
    replaces,
  };
}

function turnBlocks(
  { turn: { turn, content, calls }, saidOnly }: Extract<Piece, { turn: unknown }>,
  repeated: ReturnType<typeof repeatedReads>,
  shownFrom: number,
): Block[] {
  const said = saidOnly ? content.filter(({ type }) => type === 'text') : content;
  const answer: Block = {
    role: 'assistant',
    kind: 'answer',
    turn,
    content: said,
    tokens: tokensOf(said),
    replaces: null,
  };
  if (saidOnly || calls.length === 0) return said.length === 0 ? [] : [answer];
  const results = calls.map((call) => ({
    type: 'tool_result',
    call_id: call.callId,
    name: call.name,
    is_error: call.isError,
    text: repeated.get(call) ?? call.output,
    files:
      turn < shownFrom
        ? []
        : (call.shown ?? []).map(({ artifactId, media }) => ({ artifact_id: artifactId, name: media.name ?? '' })),
  }));
  return [answer, { role: 'user', kind: 'results', turn, content: results, tokens: tokensOf(results), replaces: null }];
}

function tokensOfTurn({ content, calls }: RecordedTurn): number {
  return tokensOf(content) + calls.reduce((sum, { output }) => sum + estimateTokens(output ?? ''), 0);
}

function tokensOf(content: unknown): number {
  return estimateTokens(JSON.stringify(content));
}

function replacerOf(turn: number, blocks: readonly Block[]): number | null {
  const at = blocks.findIndex(({ replaces }) => replaces !== null && turn >= replaces.from && turn <= replaces.to);
  return at === -1 ? null : at;
}
