/** What an item did, in the shape that its page needs. */
import type { Focus, ToolCall, Turn } from '../../../../client/client.ts';

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
  readonly blocks: readonly Block[];
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
  readonly name: string;
  readonly state: string;
  readonly isError: boolean;
  readonly startMs: number | null;
  readonly endMs: number | null;
  readonly input: unknown;
  /** What it ran with instead; null: its input. */
  readonly finalInput: unknown;
  readonly output: string | null;
  readonly outputBytes: number | null;
}

export function turnRow(turn: Turn, { number: focus, endMs }: FocusOfRow): TurnRow {
  return {
    key: `${focus}.${turn.turn}`,
    focus,
    turn: turn.turn,
    begunMs: Date.parse(turn.begun_at),
    endMs: turn.recorded_at === null ? endMs : Date.parse(turn.recorded_at),
    lost: turn.recorded_at === null && endMs !== null,
    model: [turn.provider, turn.model].filter((part) => part !== null).join('/'),
    stop: turn.stop_reason,
    tokens: tokensOf(turn.usage),
    costUsd: turn.cost_usd,
    blocks: blocksOf(turn.response),
  };
}

export function callRow(call: ToolCall, { number: focus, endMs }: FocusOfRow): CallRow {
  return {
    key: `${focus}.${call.turn}.${call.call_id}`,
    id: call.call_id,
    parentId: call.parent_call_id,
    turnKey: `${focus}.${call.turn}`,
    name: call.name,
    state: call.state,
    isError: call.is_error === true,
    startMs: call.started_at === null ? null : Date.parse(call.started_at),
    endMs: call.ended_at === null ? endMs : Date.parse(call.ended_at),
    input: call.input,
    finalInput: call.final_input,
    output: call.output,
    outputBytes: call.output_bytes,
  };
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

function blocksOf(response: unknown): readonly Block[] {
  if (!Array.isArray(response)) return [];
  return response.map((part: unknown): Block => {
    if (typeof part !== 'object' || part === null) return { type: 'other', value: part };
    const { type, text, id, name, input } = part as Readonly<Record<string, unknown>>;
    if ((type === 'text' || type === 'thinking') && typeof text === 'string') return { type, text };
    if (type === 'tool_call' && typeof id === 'string' && typeof name === 'string') return { type, id, name, input };
    return { type: 'other', value: part };
  });
}
