/** Provider-neutral messages of a conversation with a model. The store records them; the clients map them to wire formats. */

/** A tool as the model sees it; `inputSchema` is a JSON Schema object (draft 2020-12) of type object. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** One message. Roles alternate once mapped. Tool results are in user messages, before any text. */
export interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: readonly ContentBlock[];
  /** Asks the provider to cache everything up to the end of this message, if it supports that. */
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
  /** Sources in the provider's format (Anthropic), sent back unchanged to the same provider. */
  readonly citations?: readonly Readonly<Record<string, unknown>>[];
  /** `commentary` between calls, or `final_answer` (OpenAI's Responses). Sent back: models end early without it. */
  readonly phase?: string;
}

/** An image or document; `data` is base64. */
export interface MediaBlock {
  readonly type: 'image' | 'document';
  readonly mediaType: string;
  readonly data: string;
  /** The name of the file, if it has one. */
  readonly name?: string;
  /** Its estimated tokens, if they were recorded with it. */
  readonly tokens?: number;
}

/** A call the model asks for. `invalidInput` is the raw text if it was not a JSON object; `input` is then `{}`, and the call must not be run. */
export interface ToolCallBlock {
  readonly type: 'tool_call';
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly invalidInput?: string;
  /** Data that came with the call and is sent back unchanged, but only to the model that wrote it: Google's signature of its thoughts. */
  readonly extra?: {
    readonly fields: Readonly<Record<string, unknown>>;
    readonly provider: string;
    readonly model: string;
  };
}

export interface ToolResultBlock {
  readonly type: 'tool_result';
  readonly callId: string;
  readonly content: readonly (TextBlock | MediaBlock)[];
  readonly isError: boolean;
}

/** Reasoning. It may only be sent back to the `provider` and `model` (as requested) that wrote it, with `signature` unchanged. */
export interface ThinkingBlock {
  readonly type: 'thinking';
  readonly text: string;
  readonly signature?: string;
  /** OpenAI-compatible vendors: the message fields it came in. It is sent back under the same names until the tool exchange ends. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** OpenAI's Responses: the reasoning item as it came, most of it encrypted. */
  readonly item?: Readonly<Record<string, unknown>>;
  readonly provider: string;
  readonly model: string;
}

interface RedactedThinkingBlock {
  readonly type: 'redacted_thinking';
  readonly data: string;
  readonly provider: string;
  readonly model: string;
}

/** A block that animus does not interpret (server tool use and results, new kinds), kept to send back to the same provider. */
interface OpaqueBlock {
  readonly type: 'opaque';
  readonly value: Readonly<Record<string, unknown>>;
  readonly provider: string;
  readonly model: string;
}

/** Why an answer ended; the same for all providers. */
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
 * Tokens of one call, counted the same way for all providers. `input` counts every token of the prompt and includes
 * `cacheRead` and `cacheWrite`, the tokens read from and written to a cache. `output` counts everything generated and
 * includes `reasoning` (0 if unknown). Each is a whole number of 0 to 100,000,000.
 */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
  /** What the provider wrote, by its own field names, if a count was impossible and had to be changed. */
  readonly reported?: Readonly<Record<string, string>>;
  /** There if a count was not given, or cannot be true, and was estimated from the texts. */
  readonly estimated?: true;
}

/** A complete answer of a model, as it is recorded. Durations in milliseconds. */
export interface ModelAnswer {
  readonly provider: string;
  /** As reported by the provider, else as requested. */
  readonly model: string;
  readonly responseId: string | null;
  readonly content: readonly ContentBlock[];
  readonly stopReason: StopReason;
  readonly rawStopReason: string | null;
  /** Names of tool calls cut off by max_tokens. They are not in `content` and must not be run. */
  readonly cutToolCalls: readonly string[];
  /** Counts that the provider did not give are estimated; null: nothing is known of them. */
  readonly usage: Usage | null;
  /** How many requests for it may have cost something and returned nothing. Default 0. */
  readonly lost?: number;
  readonly timeToFirstTokenMs: number | null;
  readonly durationMs: number;
}
