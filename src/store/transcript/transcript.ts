/** The durable transcript of a focus: everything needed to go on after a crash and to send the same requests again. */
import type { ContentBlock, ModelAnswer, StopReason, ToolSpec } from '../../core/work/conversation.ts';
import type { Queryable } from '../sql/database.ts';
import { toJsonb, toText } from '../sql/json.ts';

/** What every write of a focus carries: the lease that fences it and the focus it belongs to. */
export interface FocusKey {
  readonly workItemId: string;
  readonly leaseToken: string;
  readonly focusId: string;
}

export const PHASES = ['orient', 'engage', 'consolidate', 'recover'] as const;
export type Phase = (typeof PHASES)[number];

/** A focus as stored; snapshot, prompt and tools are those it began with, also when it is resumed. */
export interface FocusRow {
  readonly id: string;
  readonly number: number;
  readonly phase: Phase;
  readonly directory: string;
  readonly resumes: number;
  readonly facultySnapshot: Readonly<Record<string, unknown>>;
  readonly systemPrompt: string;
  readonly tools: readonly ToolSpec[];
}

/** Begins a focus on a claimed item, or goes on with the open one. */
export async function startFocus(
  db: Queryable,
  work: { readonly id: string; readonly leaseToken: string },
  begin: {
    readonly host: string;
    readonly directoryRoot: string;
    readonly facultySnapshot: object;
    readonly systemPrompt: string;
    readonly tools: readonly ToolSpec[];
  },
): Promise<FocusRow> {
  const [row] = await db.query<FocusRow>(
    `select id, number, phase, directory, resumes, faculty_snapshot as "facultySnapshot", system_prompt as "systemPrompt", tools
       from animus.start_focus($1, $2, $3, $4, $5::jsonb, $6, $7::json)`,
    [
      work.id,
      work.leaseToken,
      begin.host,
      begin.directoryRoot,
      toJsonb(begin.facultySnapshot),
      toText(begin.systemPrompt),
      toJsonb(begin.tools),
    ],
  );
  return row!;
}

/** Moves a focus to another phase. */
export async function setPhase(db: Queryable, focus: FocusKey, phase: Phase): Promise<void> {
  await db.query(`select animus.set_phase($1, $2, $3)`, [focus.focusId, focus.leaseToken, phase]);
}

/** May the next model call be made? Reserves `reservedUsd` for it when it may. */
export type TurnPermit = 'go' | 'cancelled' | 'paused';

/** Records the ends of the calls before, where they are not recorded yet, and begins a turn: one statement, one commit. */
export async function beginTurn(
  db: Queryable,
  focus: FocusKey,
  turn: number,
  reservedUsd: number,
  results: readonly CallResult[] = [],
): Promise<TurnPermit> {
  const [row] = await db.query<{ permit: TurnPermit }>(
    `select animus.begin_next_turn($1, $2, $3, $4, $5::jsonb) as permit`,
    [focus.focusId, focus.leaseToken, turn, reservedUsd, toJsonb(results.map(resultRow))],
  );
  return row!.permit;
}

/** A recorded answer. `content` is what later requests send back. */
export interface RecordedTurn {
  readonly turn: number;
  readonly provider: string;
  readonly model: string;
  readonly content: readonly ContentBlock[];
  readonly stopReason: StopReason;
  readonly cutToolCalls: readonly string[];
  /** Tokens of the prompt as the provider counted them, cached ones included; null where it did not say. */
  readonly inputTokens: number | null;
  readonly calls: readonly RecordedCall[];
}

export type CallState = 'pending' | 'started' | 'done' | 'failed' | 'in_doubt' | 'denied' | 'waiting';

/** A tool call and, once it has ended, what the model is told. */
export interface RecordedCall {
  readonly callId: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly state: CallState;
  readonly output: string | null;
  readonly isError: boolean;
}

/** Makes an answer durable, with its calls as already started. Returns the turn as it will be read back. */
export async function recordTurn(
  db: Queryable,
  focus: FocusKey,
  turn: number,
  response: ModelAnswer,
  costUsd: number,
): Promise<RecordedTurn> {
  const content = storable(response.content);
  const calls = content.filter((block) => block.type === 'tool_call');
  await db.query(`select animus.record_turn($1, $2, $3, $4::json, $5::json)`, [
    focus.focusId,
    focus.leaseToken,
    turn,
    toJsonb({
      provider: response.provider,
      model: response.model,
      content,
      response_id: response.responseId,
      stop_reason: response.stopReason,
      raw_stop_reason: response.rawStopReason,
      cut_tool_calls: response.cutToolCalls,
      usage: response.usage,
      cost_usd: costUsd,
      duration_ms: response.durationMs,
      time_to_first_token_ms: response.timeToFirstTokenMs,
    }),
    toJsonb(calls.map((call) => ({ call_id: call.id, name: call.name, input: call.input, state: 'started' }))),
  ]);
  return {
    turn,
    provider: response.provider,
    model: response.model,
    content,
    stopReason: response.stopReason,
    cutToolCalls: response.cutToolCalls,
    inputTokens: response.usage?.input ?? null,
    calls: calls.map((call) => ({
      callId: call.id,
      name: call.name,
      input: call.input,
      state: 'started',
      output: null,
      isError: false,
    })),
  };
}

/** The end of one call. */
export interface CallResult {
  readonly turn: number;
  readonly callId: string;
  readonly state: 'done' | 'failed' | 'in_doubt' | 'denied';
  readonly output: string;
  readonly isError: boolean;
  readonly details: Readonly<Record<string, unknown>> | null;
  readonly durationMs: number;
}

/** Records ends of calls; returns how many were news (a call that had ended keeps its first result). */
export async function finishToolCalls(db: Queryable, focus: FocusKey, results: readonly CallResult[]): Promise<number> {
  const [row] = await db.query<{ count: number }>(`select animus.finish_tool_calls($1, $2, $3::jsonb) as count`, [
    focus.focusId,
    focus.leaseToken,
    toJsonb(results.map(resultRow)),
  ]);
  return row!.count;
}

function resultRow(result: CallResult): object {
  return {
    turn: result.turn,
    call_id: result.callId,
    state: result.state,
    output: result.output,
    is_error: result.isError,
    details: result.details,
    duration_ms: result.durationMs,
  };
}

export type MessageKind = 'orient' | 'digest' | 'skill' | 'nudge' | 'notice' | 'operator' | 'stub' | 'summary' | 'hook';

/** A message by the engine: stands after the results of turn `afterTurn` (0: before the first turn). */
export interface EngineMessage {
  readonly afterTurn: number;
  readonly kind: MessageKind;
  readonly content: string;
  /** Only of a `stub` or `summary`: the first turn that stays verbatim. It stands for the turns before. */
  readonly keepsFrom?: number;
}

/** Records a message before it is sent; returns it as it will be read back. */
export async function addMessage(
  db: Queryable,
  focus: FocusKey,
  message: EngineMessage,
  tokens: number,
): Promise<EngineMessage> {
  const content = toText(message.content);
  await db.query(`select animus.add_message($1, $2, $3, $4, $5, $6, $7)`, [
    focus.focusId,
    focus.leaseToken,
    message.afterTurn,
    message.kind,
    content,
    tokens,
    message.keepsFrom ?? null,
  ]);
  return { ...message, content };
}

/** Charges the item with a model call that is no turn of it. */
export async function recordSideCall(
  db: Queryable,
  focus: FocusKey,
  call: Pick<ModelAnswer, 'provider' | 'model' | 'usage'>,
  costUsd: number,
): Promise<void> {
  await db.query(`select animus.record_side_call($1, $2, $3::jsonb)`, [
    focus.focusId,
    focus.leaseToken,
    toJsonb({ provider: call.provider, model: call.model, usage: call.usage, cost_usd: costUsd }),
  ]);
}

/** Everything recorded of a focus, in order; turns that were begun and never answered are left out: they are asked again. */
export interface Transcript {
  readonly turns: readonly RecordedTurn[];
  readonly messages: readonly EngineMessage[];
}

export async function readTranscript(db: Queryable, focusId: string): Promise<Transcript> {
  const turns = await db.query<Omit<RecordedTurn, 'calls'>>(
    `select turn, provider, model, response as content, stop_reason as "stopReason", cut_tool_calls as "cutToolCalls",
            (usage ->> 'input')::int as "inputTokens"
       from animus.turns where focus_id = $1 and recorded_at is not null order by turn`,
    [focusId],
  );
  const calls = await db.query<RecordedCall & { turn: number }>(
    `select turn, call_id as "callId", name, input, state, output, coalesce(is_error, false) as "isError"
       from animus.tool_calls where focus_id = $1 and origin = 'model' order by turn, position`,
    [focusId],
  );
  const messages = await db.query<EngineMessage & { keepsFrom: number | null }>(
    `select after_turn as "afterTurn", kind, content, keeps_from as "keepsFrom"
       from animus.focus_messages where focus_id = $1 order by seq`,
    [focusId],
  );
  const byTurn = Map.groupBy(calls, (call) => call.turn);
  return {
    turns: turns.map((turn) => ({
      ...turn,
      calls: (byTurn.get(turn.turn) ?? []).map(({ turn: _turn, ...call }) => call),
    })),
    messages: messages.map(({ keepsFrom, ...message }) => ({ ...message, ...(keepsFrom !== null && { keepsFrom }) })),
  };
}

/**
 * How long the focus's newest attempt has run, in milliseconds, as far as it is recorded: of each turn its answer and its longest
 * call. Waiting, queueing and lying dead take no time here, nor does what a crash cut off. `failureNotice` is how the message
 * begins that ended the attempt before.
 */
export async function readRunningMs(db: Queryable, focusId: string, failureNotice: string): Promise<number> {
  const [row] = await db.query<{ ms: number }>(
    `select coalesce(sum(coalesce(t.duration_ms, 0) + coalesce(c.longest, 0)), 0) as ms
       from animus.turns t
       left join lateral (
         select max(c.duration_ms) as longest from animus.tool_calls c join animus.foci f on f.id = c.focus_id
          where c.focus_id = t.focus_id and c.turn = t.turn and c.state <> 'in_doubt'
            and not exists (select from animus.waits w where w.work_item_id = f.work_item_id and w.call_id = c.call_id and w.created_at >= c.started_at)) c on true
      where t.focus_id = $1 and t.recorded_at is not null
        and t.turn > (select coalesce(max(m.after_turn), 0) from animus.focus_messages m where m.focus_id = $1 and starts_with(m.content, $2))`,
    [focusId, failureNotice],
  );
  return row!.ms;
}

/** Those of the foci that have ended. */
export async function endedFocusIds(db: Queryable, ids: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select id from animus.foci where id = any ($1::uuid[]) and ended_as is not null`,
    [ids],
  );
  return rows.map((row) => row.id);
}

// What is sent later must be what is read back after a crash, to the byte: so the live loop, too, uses the stored form.
function storable(content: readonly ContentBlock[]): ContentBlock[] {
  return JSON.parse(toJsonb(content)) as ContentBlock[];
}
