import type { ContentBlock, LlmEvent, LlmRequest, StopReason, Usage } from '../client.ts';
import type { ModelInfo } from '../models/model-info.ts';
import type { Fault } from './fault.ts';

/**
 * The wire format of a provider: how to write a request, fold its answer and classify its errors. Everything else
 * (sockets, time-outs, retries, pauses, masking) is the same for all providers and is in transport/.
 */
export interface Wire {
  /** Appended to the path of the base URL. */
  path(model: string, stream: boolean): string;
  /** The path of the list of models, for GET; null: the provider has none. */
  readonly modelsPath: string | null;
  /** `request` is null for calls other than completions. */
  headers(apiKey: string | null, request: LlmRequest | null): Record<string, string>;
  body(request: LlmRequest, stream: boolean): Record<string, unknown>;
  fold(request: LlmRequest, emit: (event: LlmEvent) => void): Fold;
  /** Splits the body of a stream into events; undefined: server-sent events. */
  readonly framing?: () => Framing;
  /** Classifies an error by its HTTP status (null within a stream) and its body as text. */
  classify(error: WireError): Fault;
}

/** Splits a body into the data of events. One object reads one body. */
export interface Framing {
  /** Whether a 2xx body that begins with this byte is framed; otherwise it is one JSON body. */
  takes(first: number): boolean;
  /** Calls `onData` for each complete event; a fault ends the attempt. */
  feed(chunk: Buffer, onData: (data: string) => void): Fault | null;
  /** At the end of the body: a fault if it ended inside an event. */
  end(onData: (data: string) => void): Fault | null;
}

/** The settings of its provider that a wire needs. */
export interface WireOptions {
  /** The provider's name in the configuration. */
  readonly provider: string;
  readonly infoOf: (model: string) => ModelInfo;
  /** The host of the base URL. */
  readonly host: string;
}

/** What the mapping of a request needs in addition to it. */
export interface RequestContext {
  /** The provider's name: blocks that others wrote are not sent to it. */
  readonly provider: string;
  readonly model: ModelInfo;
}

/** The header of a key, as most APIs take it. A local server needs none. */
export function bearer(key: string | null): Record<string, string> {
  return key === null ? {} : { authorization: `Bearer ${key}` };
}

/** An error as it arrived. */
export interface WireError {
  /** Null: it came without one. */
  readonly status: number | null;
  readonly body: string;
  /** Where one without a status stood: in mid-stream, or in the results of a batch. Default: in an answer. */
  readonly within?: 'stream' | 'batch';
}

/** For people: `HTTP 529`, `in mid-stream`, `in a batch` or `in an answer`. */
export function whereOf({ status, within }: WireError): string {
  if (status !== null) return `HTTP ${status}`;
  return within === 'stream' ? 'in mid-stream' : within === 'batch' ? 'in a batch' : 'in an answer';
}

/** Assembles an answer from its stream, or from one body; both give the same answer. */
export interface Fold {
  /** One server-sent event's data. A fault ends the attempt; events after the end marker are ignored. */
  event(data: string): Fault | null;
  /** The body of an answer that was not streamed. */
  whole(body: unknown): Fault | null;
  /** True after the end marker. */
  ended(): boolean;
  /**
   * True if nothing but the token counts and the end marker may be missing: the stop reason has come. A stream that breaks then is an answer,
   * which is not bought again, and faults after it do not count.
   */
  complete(): boolean;
  /** The answer, or a fault if the stream stopped before its end. */
  finish(): Answer | Fault;
}

/** An answer without attempts and times, which only the client knows. */
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
