/** What a conversation with a model is made of, provider-neutral: recorded by the store, mapped to wire formats by the clients. */

/** A tool as the model sees it; `inputSchema` is a JSON Schema object (draft 2020-12) of type object. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** One message. Roles alternate once mapped; tool results stand in user messages, before any text. */
export interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: readonly ContentBlock[];
  /** Asks the provider to cache everything up to the end of this message, where it can. */
  readonly cacheBreakpoint?: boolean;
}

export type ContentBlock =
  | TextBlock
  | MediaBlock
  | ToolCallBlock
  | ToolResultBlock
  | ThinkingBlock
  | RedactedThinkingBlock
  | OpaqueBlock;

export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
  /** Sources as the provider named them (Anthropic), sent back unchanged where it understands them. */
  readonly citations?: readonly Readonly<Record<string, unknown>>[];
}

/** An image or document; `data` is base64. */
export interface MediaBlock {
  readonly type: 'image' | 'document';
  readonly mediaType: string;
  readonly data: string;
}

/** A call the model asks for. `invalidInput` holds the raw text where it was no JSON object; `input` is then `{}` and must not be run. */
export interface ToolCallBlock {
  readonly type: 'tool_call';
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly invalidInput?: string;
}

export interface ToolResultBlock {
  readonly type: 'tool_result';
  readonly callId: string;
  readonly content: readonly (TextBlock | MediaBlock)[];
  readonly isError: boolean;
}

/** Reasoning. `provider` and `model` (as asked for) name who wrote it: nobody else may be sent it. `signature` must go back unchanged. */
export interface ThinkingBlock {
  readonly type: 'thinking';
  readonly text: string;
  readonly signature?: string;
  /** OpenAI-compatible vendors: the message fields it came in, to go back under the same names within the open tool exchange. */
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly provider: string;
  readonly model: string;
}

interface RedactedThinkingBlock {
  readonly type: 'redacted_thinking';
  readonly data: string;
  readonly provider: string;
  readonly model: string;
}

/** A block animus does not interpret (server tool use and results, kinds to come), kept to be sent back to the same provider. */
interface OpaqueBlock {
  readonly type: 'opaque';
  readonly value: Readonly<Record<string, unknown>>;
  readonly provider: string;
  readonly model: string;
}

/** Why an answer ended, across providers. */
export type StopReason =
  | 'end_turn'
  | 'tool_use'
  | 'max_tokens'
  | 'stop_sequence'
  | 'refusal'
  | 'pause_turn'
  | 'context_overflow'
  | 'other';

/**
 * Tokens of one call, with one meaning across providers: `input` counts every token of the prompt, those read from and
 * written to a cache included; `cacheRead` and `cacheWrite` are parts of it; `output` counts everything generated,
 * `reasoning` (a part of it, 0 where unknown) included.
 */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
}

/** A whole answer of a model, as it is recorded. Durations in milliseconds. */
export interface ModelAnswer {
  readonly provider: string;
  /** As the provider reports it, else as asked for. */
  readonly model: string;
  readonly responseId: string | null;
  readonly content: readonly ContentBlock[];
  readonly stopReason: StopReason;
  readonly rawStopReason: string | null;
  /** Names of calls that max_tokens cut off: they are not in `content` and must not be run. */
  readonly cutToolCalls: readonly string[];
  /** Null where the provider never reported it. */
  readonly usage: Usage | null;
  readonly timeToFirstTokenMs: number | null;
  readonly durationMs: number;
}
