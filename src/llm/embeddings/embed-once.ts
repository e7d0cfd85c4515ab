import { JSON_LIMITS } from '../../core/text/json-limits.ts';
import { estimateTokens } from '../../core/work/tokens.ts';
import { fetchJson, type JsonCall, type MaySend } from '../transport/fetch-json.ts';
import type { Endpoint, HttpShared } from '../transport/retries.ts';
import { toJson } from '../transport/to-json.ts';
import { type Fault, fault } from '../wire/fault.ts';
import { asObject } from '../wire/loose-json.ts';
import { tokenCount } from '../wire/token-counts.ts';
import type { EmbeddingUsage, EmbedResult, Vector } from './embed-result.ts';
import type { EmbeddingsApi, EmbeddingsResponse } from './embeddings-api.ts';
import { readVectors } from './read-vectors.ts';

/** Where and how to ask for vectors. */
export interface EmbeddingsCall {
  readonly api: EmbeddingsApi;
  readonly endpoint: Endpoint;
  readonly shared: HttpShared;
  readonly model: string;
  /** Of every vector; others are refused. */
  readonly dimensions: number;
  /** True: the request asks for so many dimensions. */
  readonly asksDimensions: boolean;
  /** Of the model, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Fields of the model, added to the body. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly maySend?: MaySend;
}

/** One request for all texts, with the retries of its provider. A request that may have cost something is not sent again. */
export async function embedOnce(
  texts: readonly string[],
  call: EmbeddingsCall,
  signal: AbortSignal,
): Promise<EmbedResult> {
  const { api, endpoint, shared, model, dimensions, maySend } = call;
  const read = (body: unknown) => readResponse(body, texts, call);
  const body = { ...api.body({ model, texts, dimensions: call.asksDimensions ? dimensions : null }), ...call.options };
  const request: JsonCall = {
    endpoint,
    shared,
    signal,
    ...(maySend && { maySend }),
    path: api.path(model),
    headers: (key) => ({ ...api.headers(key), ...call.headers }),
    body: toJson(body),
    classify: (error) => api.classify(error),
    transport: 'embeddings',
    payOnce: true,
    limits: { ...JSON_LIMITS.embeddings, nodes: JSON_LIMITS.embeddings.nodes + texts.length * dimensions },
    check(answer) {
      const found = read(answer);
      return 'type' in found ? found : null;
    },
  };
  const result = await fetchJson(request, model);
  if (!result.ok) {
    const { failure } = result;
    const usage = failure.lost > 0 ? estimated(texts) : { inputTokens: 0, counted: true };
    return { ok: false, failure, refused: false, vectors: [], usage };
  }
  const { vectors, tokens } = read(result.value) as Readable;
  const counted = tokenCount(tokens);
  // No text has no tokens.
  const usage = counted ? { inputTokens: counted, counted: true } : estimated(texts);
  return { ok: true, vectors, usage };
}

function estimated(texts: readonly string[]): EmbeddingUsage {
  return { inputTokens: texts.reduce((sum, text) => sum + estimateTokens(text), 0), counted: false };
}

interface Readable {
  readonly vectors: readonly Vector[];
  readonly tokens: unknown;
}

/** A response with status 2xx may still be an error, or not what was asked for. */
function readResponse(
  body: unknown,
  texts: readonly string[],
  { api, dimensions, asksDimensions }: EmbeddingsCall,
): Readable | Fault {
  const response: EmbeddingsResponse | null = api.read(body);
  if (response === null) {
    if (asObject(body)?.['error'] !== undefined) return api.classify({ status: null, body: JSON.stringify(body) });
    return fault('protocol', `the response has no vectors: ${JSON.stringify(body)}`);
  }
  const vectors = readVectors(response, texts.length, dimensions);
  if (typeof vectors !== 'string') return { vectors, tokens: response.tokens };
  // The same model would make vectors of the same length again.
  const isLength = vectors.includes('dimensions, expected');
  const remedy = isLength && !asksDimensions ? REMEDY : '';
  return fault('protocol', `${vectors}${remedy}`, isLength ? { retryable: false } : {});
}

const REMEDY =
  '; set [embeddings] dimensions to what the model makes, or request_dimensions = true if it can make shorter vectors';
