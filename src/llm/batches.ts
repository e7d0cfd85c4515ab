/** The batch APIs, by kind of provider. */
import type { HttpProviderKind } from '../core/config/providers/provider.ts';
import { anthropicBatches } from './batch/anthropic-batches.ts';
import type { BatchApi } from './batch/batch-api.ts';
import { openaiBatches } from './batch/openai-batches.ts';

const BATCH_APIS: Readonly<Partial<Record<HttpProviderKind, BatchApi>>> = {
  anthropic: anthropicBatches,
  openai: openaiBatches,
};

/** The batch API of a kind of provider; null where it has none. */
export function batchApiOf(kind: HttpProviderKind | 'scripted'): BatchApi | null {
  return kind === 'scripted' ? null : (BATCH_APIS[kind] ?? null);
}
