/**
 * The interface to language models: one call, with provider-neutral message types. The types keep everything that a
 * provider needs to continue a conversation. Providers map them to their wire format and back.
 *
 * The rule for failures: `complete` never rejects because of the provider, the network or an abort. An outage, a failed
 * authentication, a broken stream and an abort are `{ ok: false, failure }`. It rejects only for a bug in animus.
 */

import type { CacheTtl, Effort, ServiceTier } from '../core/config/providers/model-words.ts';
import type { Message, ModelAnswer, ToolSpec } from '../core/work/conversation.ts';
import type { JsonSchema } from './schema/dialect.ts';

export type {
  ContentBlock,
  MediaBlock,
  Message,
  StopReason,
  TextBlock,
  ThinkingBlock,
  ToolCallBlock,
  ToolResultBlock,
  ToolSpec,
  Usage,
} from '../core/work/conversation.ts';

export interface LlmClient {
  complete(request: LlmRequest, options: CompleteOptions): Promise<LlmResult>;
  /**
   * Does what can be done for a request before it may be sent, so that `complete` with the same fields takes less time. Sends nothing. Call
   * it at most once per list of messages.
   */
  prepare?(request: LlmRequest): void;
}

/** Options of a call, in addition to the request. */
export interface CompleteOptions {
  /** Closes the socket at once; the result is a failure of kind `aborted`. */
  readonly signal: AbortSignal;
  /** Live progress. Called synchronously; it must not throw. */
  readonly onEvent?: (event: LlmEvent) => void;
  /**
   * True: the caller can discard the events it got. A call that breaks after its first event is then retried, announced by
   * a `restart` event. Default false: such a call fails instead. Without `onEvent` it is always retried.
   */
  readonly canDiscard?: boolean;
  /** True: a request that may have cost something (`failure-costs.ts`) is not sent again, to no model. Default false. */
  readonly payOnce?: boolean;
  /** Awaited right before each request is sent, retries and fallbacks included; the call rejects where it does. */
  readonly beforeSend?: () => Promise<void>;
  /** Overrides of the provider's time-outs for this call. */
  readonly timeouts?: Partial<Timeouts>;
}

/** Four time-outs of a call, in milliseconds, one for each way to hang. 0 turns one off. */
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
  /** How much the model thinks; each wire maps the levels to what the model takes. Default: the provider's own. */
  readonly effort?: Effort;
  /** The class of service that is asked for. Default: the provider's own, which is `auto`. */
  readonly serviceTier?: ServiceTier;
  /** The form of the final answer, for models that can make an answer conform to a schema (`ModelInfo.structuredOutputs`). */
  readonly outputSchema?: OutputSchema;
  /**
   * True: only the outcome is requested. A model that supports schemas, but not together with tools, gets the
   * schema only in such a request, and may not call a tool in it. Default false.
   */
  readonly closing?: boolean;
  /** True: the provider makes the inputs of tools conform to their schemas if the model supports that. Default false. */
  readonly strictTools?: boolean;
  /** An opaque id of the conversation: cache affinity and abuse metadata; never a person's name. */
  readonly conversationId?: string;
  /** How long the provider keeps cached prefixes. Default: the provider's own. */
  readonly cacheTtl?: CacheTtl;
  /** The number of this call in its focus, from 1. Only `scripted` reads it, because a compressed history no longer shows it. */
  readonly turn?: number;
  /** The work item's own task and params, without what surrounds them in the first message. Only `scripted` reads it, and only its requests have it. */
  readonly task?: string;
}

/** A schema to which an answer must conform. */
export interface OutputSchema {
  /** Letters, digits, `_` and `-`, at most 64; OpenAI requires one. */
  readonly name: string;
  readonly schema: JsonSchema;
}

/** An answer, with the attempts and models it needed. */
export interface LlmResponse extends ModelAnswer {
  /** The number of HTTP attempts, including the successful one. */
  readonly attempts: number;
  /** Models that were called before this one and failed, in order; empty without fallback. */
  readonly fellBackFrom: readonly LlmFailure[];
}

export type LlmEvent =
  | { readonly type: 'restart' }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  | { readonly type: 'tool_call'; readonly id: string; readonly name: string };

interface FailureTraits {
  /** The provider failed, not the work: the item is released and the provider paused. */
  readonly world: boolean;
  /** The same request may succeed when it is sent again soon. */
  readonly transient: boolean;
  /** Another model may answer the request. */
  readonly elsewhere: boolean;
  /** The provider says that it does not take the request. */
  readonly refusal: boolean;
}

/** What each kind of failure means. `protocol`: the provider broke its own wire format. `aborted`: by our signal. */
export const FAILURE_KINDS = {
  rate_limit: { world: true, transient: true, elsewhere: true, refusal: true },
  overloaded: { world: true, transient: true, elsewhere: true, refusal: false },
  connection: { world: true, transient: true, elsewhere: true, refusal: false },
  timeout: { world: true, transient: true, elsewhere: true, refusal: false },
  credentials: { world: true, transient: false, elsewhere: true, refusal: true },
  quota: { world: true, transient: false, elsewhere: true, refusal: true },
  invalid_request: { world: false, transient: false, elsewhere: false, refusal: true },
  context_overflow: { world: false, transient: false, elsewhere: false, refusal: true },
  model_not_found: { world: false, transient: false, elsewhere: true, refusal: true },
  content_filter: { world: false, transient: false, elsewhere: true, refusal: true },
  protocol: { world: false, transient: true, elsewhere: true, refusal: false },
  aborted: { world: false, transient: false, elsewhere: false, refusal: false },
} as const satisfies Readonly<Record<string, FailureTraits>>;

export type FailureKind = keyof typeof FAILURE_KINDS;

/**
 * How the connection failed. `name`: the host is unknown. `refused`: nothing listens there. `certificate`: TLS does not
 * trust it. `proxy`: the proxy refused, or cannot be reached.
 */
export type NetworkTrouble = 'name' | 'refused' | 'certificate' | 'proxy';

export interface LlmFailure {
  readonly kind: FailureKind;
  /** For a failed connection, where it is known. */
  readonly network?: NetworkTrouble;
  readonly provider: string;
  readonly model: string;
  /** One line for people, secrets masked. */
  readonly message: string;
  readonly httpStatus: number | null;
  /** How long the provider asked us to wait, if it did. */
  readonly retryAfterMs: number | null;
  readonly requestId: string | null;
  /** The number of HTTP requests; 0 if a pause of the key or an abort came first. */
  readonly attempts: number;
  /** How many of them may have cost something (`failure-costs.ts`). */
  readonly lost: number;
}

export type LlmResult =
  | { readonly ok: true; readonly response: LlmResponse }
  | { readonly ok: false; readonly failure: LlmFailure };

/** True if the provider caused the failure: the work is released and no attempt is counted. */
export function isFailureOfTheWorld({ kind }: LlmFailure): boolean {
  return FAILURE_KINDS[kind].world;
}
