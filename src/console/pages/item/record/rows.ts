/** What an item did, in the shape that its page needs. */
import type { Focus, TimelineTurn, ToolCall, Turn } from '../../../../client/client.ts';

/** A part of an answer, as the API gives it. */
export type Block =
  | { readonly type: 'text' | 'thinking'; readonly text: string }
  | { readonly type: 'tool_call'; readonly id: string; readonly name: string; readonly input: unknown }
  | { readonly type: 'other'; readonly value: unknown };

export interface TurnRow {
  /** `FOCUS.TURN`, as in addresses. */
  readonly key: string;
  /** The number of its focus. */
  readonly focus: number;
  readonly focusId: string;
  readonly turn: number;
  readonly begunMs: number;
  /** Null: the model is being asked. */
  readonly endMs: number | null;
  /** Its focus ended without the answer. */
  readonly lost: boolean;
  readonly model: string;
  readonly stop: string | null;
  readonly tokens: Tokens | null;
  readonly costUsd: number | null;
  /** The beginning of what the model said; of an answer without words, the names of its calls. */
  readonly summary: string;
  readonly callCount: number;
  /** Null: they have not been read. */
  readonly blocks: readonly Block[] | null;
}

/** `input` has what was read from the cache and what was written to it. */
export interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
}

export interface CallRow {
  /** `FOCUS.TURN.ID`, as in addresses: another focus may have a call of the same id. */
  readonly key: string;
  readonly id: string;
  readonly parentId: string | null;
  /** The key of its turn. */
  readonly turnKey: string;
  readonly focusId: string;
  readonly turn: number;
  readonly name: string;
  readonly state: string;
  readonly isError: boolean;
  readonly startMs: number | null;
  readonly endMs: number | null;
  /** Undefined: it has not been read. */
  readonly input: unknown;
  /** What it ran with instead; null: its input. */
  readonly finalInput: unknown;
  readonly output: string | null;
  readonly outputBytes: number | null;
}

export function turnRow(turn: Omit<Turn, 'duration_ms'>, { number: focus, endMs }: FocusOfRow): TurnRow {
  const blocks = blocksOf(turn.response);
  const names = blocks.flatMap((block) => (block.type === 'tool_call' ? block.name : []));
  const said = blocks.find((block) => block.type === 'text' && block.text.trim() !== '');
  return {
    key: `${focus}.${turn.turn}`,
    focus,
    focusId: turn.focus_id,
    turn: turn.turn,
    begunMs: Date.parse(turn.begun_at),
    endMs: turn.recorded_at === null ? endMs : Date.parse(turn.recorded_at),
    lost: turn.recorded_at === null && endMs !== null,
    model: [turn.provider, turn.model].filter((part) => part !== null).join('/'),
    stop: turn.stop_reason,
    tokens: tokensOf(turn.usage),
    costUsd: turn.cost_usd,
    summary: said?.type === 'text' ? said.text.slice(0, SUMMARY_CHARS) : namesOf(names),
    callCount: names.length,
    blocks,
  };
}

/** What a call was asked and answered. */
export function contentsOf({ input, final_input, output, output_bytes }: ToolCall) {
  return { input, finalInput: final_input, output, outputBytes: output_bytes };
}

export function callRow(call: ToolCall, { number: focus, endMs }: FocusOfRow): CallRow {
  return {
    key: `${focus}.${call.turn}.${call.call_id}`,
    id: call.call_id,
    parentId: call.parent_call_id,
    turnKey: `${focus}.${call.turn}`,
    focusId: call.focus_id,
    turn: call.turn,
    name: call.name,
    state: call.state,
    isError: call.is_error === true,
    startMs: call.started_at === null ? null : Date.parse(call.started_at),
    endMs: call.ended_at === null ? endMs : Date.parse(call.ended_at),
    ...contentsOf(call),
  };
}

/** A turn and its calls without their contents. */
export function timelineRows(
  turn: TimelineTurn,
  of: FocusOfRow,
): { readonly turn: TurnRow; readonly calls: readonly CallRow[] } {
  const { input_tokens: input, output_tokens: output, calls } = turn;
  const own = calls.filter(({ parent_call_id }) => parent_call_id === null);
  const row = turnRow({ ...turn, response: null, usage: null }, of);
  const tokens = {
    input: input ?? 0,
    output: output ?? 0,
    cacheRead: turn.cache_read_tokens ?? 0,
    cacheWrite: turn.cache_write_tokens ?? 0,
    reasoning: 0,
  };
  return {
    turn: {
      ...row,
      tokens: input === null ? null : tokens,
      summary: namesOf(own.map(({ name }) => name)),
      callCount: own.length,
      blocks: null,
    },
    calls: calls.map((call) => ({
      key: `${of.number}.${turn.turn}.${call.call_id}`,
      id: call.call_id,
      parentId: call.parent_call_id,
      turnKey: row.key,
      focusId: turn.focus_id,
      turn: turn.turn,
      name: call.name,
      state: call.state,
      isError: call.is_error === true,
      startMs: call.started_at === null ? null : Date.parse(call.started_at),
      endMs: call.ended_at === null ? of.endMs : Date.parse(call.ended_at),
      input: undefined,
      finalInput: null,
      output: null,
      outputBytes: null,
    })),
  };
}

const SUMMARY_CHARS = 160;

/** `bash ×2, read_file`. */
function namesOf(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const shown = [...counts].map(([name, count]) => (count === 1 ? name : `${name} ×${count}`));
  return shown.join(', ').slice(0, SUMMARY_CHARS);
}

/** What a row has to know of its focus. */
interface FocusOfRow {
  readonly number: number;
  /** Null: it goes on. */
  readonly endMs: number | null;
}

export function focusOfRow({ number, ended_at }: Focus): FocusOfRow {
  return { number, endMs: ended_at === null ? null : Date.parse(ended_at) };
}

function tokensOf(usage: unknown): Tokens | null {
  if (typeof usage !== 'object' || usage === null || !('input' in usage) || typeof usage.input !== 'number')
    return null;
  const number = (name: string) => {
    const value: unknown = (usage as Record<string, unknown>)[name];
    return typeof value === 'number' ? value : 0;
  };
  return {
    input: usage.input,
    output: number('output'),
    cacheRead: number('cacheRead'),
    cacheWrite: number('cacheWrite'),
    reasoning: number('reasoning'),
  };
}

/** The content blocks of an answer. */
export function blocksOf(response: unknown): readonly Block[] {
  if (!Array.isArray(response)) return [];
  return response.map((part: unknown): Block => {
    if (typeof part !== 'object' || part === null) return { type: 'other', value: part };
    const { type, text, id, name, input } = part as Readonly<Record<string, unknown>>;
    if ((type === 'text' || type === 'thinking') && typeof text === 'string') return { type, text };
    if (type === 'tool_call' && typeof id === 'string' && typeof name === 'string') return { type, id, name, input };
    return { type: 'other', value: part };
  });
}
