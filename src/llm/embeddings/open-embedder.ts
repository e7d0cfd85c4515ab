import { addressText, identityText } from '../../core/config/providers/provider-identity.ts';
import type { EmbeddingKind } from '../../core/config/sections/embeddings.ts';
import { AnimusError } from '../../core/errors/errors.ts';
import type { EmbeddingInfo } from '../models/embedding-models.ts';
import type { HttpProviderSettings } from '../provider-settings.ts';
import { azureFault, azurePath } from '../providers/azure.ts';
import { keyHeaderOf } from '../providers/key-header.ts';
import type { Endpoint, HttpShared } from '../transport/retries.ts';
import { createEmbedder, type Embedder } from './embedder.ts';
import type { EmbeddingsApi } from './embeddings-api.ts';
import { ollamaEmbeddings } from './ollama-embeddings.ts';
import { openaiEmbeddings } from './openai-embeddings.ts';

/** The settings of an embedder. */
export interface EmbedderSettings {
  /** The provider's name of the model. */
  readonly model: string;
  readonly dimensions: number;
  /** Texts per request. Default 96; OpenAI accepts 2,048, some servers no more than 10. */
  readonly batchSize?: number;
  /**
   * True: each request says how many dimensions. Default: only for a model of the catalogue that can shorten its vectors, where other than
   * its usual number are wanted. Many servers refuse the field.
   */
  readonly requestDimensions?: boolean;
  /** Of each request; default: as for the provider's other calls. */
  readonly maxAttempts?: number;
}

/** Estimated tokens of a request. OpenAI accepts 300,000. */
const BATCH_TOKENS = 100_000;
/** Of a request with all its retries. A vector takes milliseconds; loading a local model takes longer. */
const TOTAL_MS = 120_000;

/** Opens the embedder of a provider. Throws `llm.no_embeddings` for kinds without them. */
export function openEmbedder(
  { model, dimensions, batchSize = 96, requestDimensions, maxAttempts }: EmbedderSettings,
  info: EmbeddingInfo,
  settings: HttpProviderSettings,
  { endpoint, shared }: { readonly endpoint: Endpoint; readonly shared: HttpShared },
): Embedder {
  const api = embeddingsApi(settings);
  if (api === null) throw new AnimusError('llm.no_embeddings', { provider: endpoint.provider });
  const login = keyHeaderOf(settings);
  const asksDimensions = requestDimensions ?? (info.shortens && info.dimensions !== dimensions);
  const { timeouts } = endpoint;
  const totalMs = Math.min(timeouts.totalMs || TOTAL_MS, TOTAL_MS);
  return createEmbedder({
    call: {
      api: login === null ? api : { ...api, headers: login },
      endpoint: {
        ...endpoint,
        timeouts: { ...timeouts, totalMs },
        retry: { ...endpoint.retry, ...(maxAttempts !== undefined && { maxAttempts }) },
      },
      shared,
      model,
      dimensions,
      asksDimensions,
      headers: info.headers,
      options: info.options,
    },
    limits: {
      texts: batchSize,
      tokens: BATCH_TOKENS,
      // Ollama cuts by the tokenizer of the model.
      tokensOfText: settings.kind === 'ollama' ? null : info.maxInputTokens,
    },
    place: identityText({ kind: settings.kind, address: addressText(settings.baseUrl), credential: '' }),
    usdPerMillion: info.usdPerMillion,
  });
}

/** By the kinds of providers that have embeddings. */
const APIS: Readonly<Record<EmbeddingKind, (settings: HttpProviderSettings) => EmbeddingsApi>> = {
  openai: () => openaiEmbeddings,
  azure({ baseUrl, cloud }) {
    const place = { baseUrl: new URL(baseUrl), apiVersion: cloud?.apiVersion ?? null };
    return {
      ...openaiEmbeddings,
      path: (model) => azurePath('/embeddings', model, place),
      classify: (error) => azureFault(openaiEmbeddings.classify(error), error),
    };
  },
  ollama: () => ollamaEmbeddings,
};

function embeddingsApi(settings: HttpProviderSettings): EmbeddingsApi | null {
  const apis: Readonly<Partial<Record<HttpProviderSettings['kind'], (typeof APIS)[EmbeddingKind]>>> = APIS;
  return apis[settings.kind]?.(settings) ?? null;
}
