import type { ContentBlock, LlmEvent, LlmRequest, StopReason, Usage } from '../client.ts';
import type { ModelInfo } from '../models/models.ts';
import type { Fault } from './fault.ts';

/**
 * What makes a provider: how a request is written, how its answer is folded, what its errors mean. Everything else
 * (sockets, time-outs, retries, pauses, masking) is the same for all of them and lives in transport/.
 */
export interface Wire {
  /** Appended to the path of the base URL. */
  readonly path: string;
  /** Where the list of models stands, by GET. */
  readonly modelsPath: string;
  /** `request` is null for calls that are no completion. */
  headers(apiKey: string | null, request: LlmRequest | null): Record<string, string>;
  body(request: LlmRequest, stream: boolean): Record<string, unknown>;
  fold(request: LlmRequest, emit: (event: LlmEvent) => void): Fold;
  /** What an error means, from an HTTP status (null in mid-stream) and the body as text. */
  classify(error: WireError): Fault;
}

/** What a wire must know of its provider. */
export interface WireOptions {
  /** The provider's name in the configuration. */
  readonly provider: string;
  readonly infoOf: (model: string) => ModelInfo;
  /** The host of the base URL. */
  readonly host: string;
}

/** An error as it arrived. */
export interface WireError {
  readonly status: number | null;
  readonly body: string;
}

/** Gathers an answer from its stream, or takes it whole; both ways end in the same answer. */
export interface Fold {
  /** One server-sent event's data. A fault ends the attempt; events after the end marker are ignored. */
  event(data: string): Fault | null;
  /** The body of an answer that was not streamed. */
  whole(body: unknown): Fault | null;
  /** True once the end marker came. */
  ended(): boolean;
  /** The answer, or a fault where the stream stopped before its end marker. */
  finish(): Answer | Fault;
}

/** An answer without what only the client knows: attempts and times. */
export interface Answer {
  readonly type: 'answer';
  readonly model: string;
  readonly responseId: string | null;
  readonly content: readonly ContentBlock[];
  readonly stopReason: StopReason;
  readonly rawStopReason: string | null;
  readonly cutToolCalls: readonly string[];
  readonly usage: Usage | null;
}
