/**
 * The port to language models: animus's own message types, which lose nothing a provider needs to continue a
 * conversation, and one call. Providers map these types to their wire format and back.
 *
 * The rule for failures: `complete` never rejects for anything that can happen in the world. An outage, a refusal to
 * authenticate, a broken stream, an abort are `{ ok: false, failure }`. It rejects only for a bug in animus.
 */
export interface LlmClient {
  complete(request: LlmRequest, options: CompleteOptions): Promise<LlmResult>;
}

/** What a call may be given beside the request. */
export interface CompleteOptions {
  /** Closes the socket at once; the result is a failure of kind `aborted`. */
  readonly signal: AbortSignal;
  /** Live progress. Called synchronously; it must not throw. */
  readonly onEvent?: (event: LlmEvent) => void;
  /**
   * The caller can take back what `onEvent` was given: a call that breaks after that may then be tried again, and says
   * so by a `restart` event. Default false: such a call fails instead. Without `onEvent` nothing was passed on, and it is retried.
   */
  readonly canDiscard?: boolean;
  /** Overrides of the provider's time-outs for this call. */
  readonly timeouts?: Partial<Timeouts>;
}

/** Four time-outs of a call, in milliseconds, each for another way to hang. 0 switches one off. */
export interface Timeouts {
  /** TCP and TLS. Default 10,000. Fixed when the provider is set up: a call cannot override it. */
  readonly connectMs: number;
  /** From the request to the response's headers. Default 120,000; 600,000 for providers that do not stream. */
  readonly firstByteMs: number;
  /** Between two pieces of the body; pings count. Default 90,000. */
  readonly streamIdleMs: number;
  /** The whole call, retries and waits included. Default 1,200,000. */
  readonly totalMs: number;
}

/** One request, provider-neutral. Token counts are in tokens of the model. */
export interface LlmRequest {
  /** Model name as the provider knows it, without the provider prefix. */
  readonly model: string;
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  readonly messages: readonly Message[];
  /** Upper bound of the answer, thinking included. */
  readonly maxTokens: number;
  readonly toolChoice?: 'auto' | 'any' | 'none' | { readonly name: string };
  readonly temperature?: number;
  readonly stop?: readonly string[];
  readonly thinkingBudgetTokens?: number;
  readonly reasoningEffort?: 'minimal' | 'low' | 'medium' | 'high';
  /** An opaque id of the conversation: cache affinity and abuse metadata; never a person's name. */
  readonly conversationId?: string;
  /** How long the provider keeps what cache breakpoints mark. Default 5m. */
  readonly cacheTtl?: '5m' | '1h';
  /** The number of this call in its focus, from 1. Only `scripted` reads it: a compressed history no longer tells. */
  readonly turn?: number;
}

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

export interface LlmResponse {
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
  /** HTTP attempts it took, the successful one included. */
  readonly attempts: number;
  /** Models that were asked before this one and failed, in order; empty without fallback. */
  readonly fellBackFrom: readonly LlmFailure[];
}

export type LlmEvent =
  | { readonly type: 'restart' }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  | { readonly type: 'tool_call'; readonly id: string; readonly name: string };

/**
 * Kinds of failure. Of the world, not of the work (release the item, hold the provider): `rate_limit`, `overloaded`,
 * `connection`, `timeout`, `credentials`, `quota`. Of the request: `invalid_request`, `context_overflow`,
 * `model_not_found`, `content_filter`. `protocol`: the provider broke its own wire format. `aborted`: by our signal.
 */
export type FailureKind =
  | 'rate_limit'
  | 'overloaded'
  | 'connection'
  | 'timeout'
  | 'credentials'
  | 'quota'
  | 'invalid_request'
  | 'context_overflow'
  | 'model_not_found'
  | 'content_filter'
  | 'protocol'
  | 'aborted';

export interface LlmFailure {
  readonly kind: FailureKind;
  readonly provider: string;
  readonly model: string;
  /** One line for people, secrets masked. */
  readonly message: string;
  readonly httpStatus: number | null;
  /** What the provider asked us to wait, if it did. */
  readonly retryAfterMs: number | null;
  readonly requestId: string | null;
  /** HTTP requests made; 0 when a pause of the key or an abort came first. */
  readonly attempts: number;
}

export type LlmResult =
  | { readonly ok: true; readonly response: LlmResponse }
  | { readonly ok: false; readonly failure: LlmFailure };

const WORLD: ReadonlySet<FailureKind> = new Set([
  'rate_limit',
  'overloaded',
  'connection',
  'timeout',
  'credentials',
  'quota',
]);

/** True where the provider, not the work, is at fault: the work is released without burning an attempt. */
export function isFailureOfTheWorld(failure: LlmFailure): boolean {
  return WORLD.has(failure.kind);
}
