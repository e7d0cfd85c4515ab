import type { Fault } from '../wire/fault.ts';
import type { WireError } from '../wire/wire.ts';

/** What to ask for. */
export interface EmbeddingsRequest {
  readonly model: string;
  readonly texts: readonly string[];
  /** Null: not asked for, so that the vectors are as long as the model makes them. */
  readonly dimensions: number | null;
}

/** What a response says; nothing of it is checked yet. */
export interface EmbeddingsResponse {
  /** One entry per vector: the position of its text, if the response says so, and the vector as written. */
  readonly vectors: readonly { readonly index: unknown; readonly vector: unknown }[];
  /** As the provider wrote it. */
  readonly tokens: unknown;
}

/** An API that makes embeddings. */
export interface EmbeddingsApi {
  path(model: string): string;
  headers(key: string | null): Readonly<Record<string, string>>;
  body(request: EmbeddingsRequest): Readonly<Record<string, unknown>>;
  /** Null: the body is not a response of this API. */
  read(body: unknown): EmbeddingsResponse | null;
  /** Also for errors that come with status 200; their status is null. */
  classify(error: WireError): Fault;
}
