/** The keys of `[models."provider/model"]` that say what a model can do. docs/config.md lists them too. */
import type { z } from 'zod';
import { flag, listOf, matching, oneOf, type table } from '../toml/fields.ts';
import { type ModelAbilities, THINKING } from './model-abilities.ts';
import { CACHE_TTLS, EFFORTS, SERVICE_TIERS } from './model-words.ts';
import { headersKey, optionsKey } from './provider-keys.ts';

export const modelKeys = {
  like: matching(/^[a-z0-9]+\/\S+$/, 'a model of the catalogue, "vendor/model"').optional(),
  images: flag().optional(),
  documents: flag().optional(),
  thinking: oneOf(THINKING).optional(),
  effort: flag().optional(),
  efforts: listOf(EFFORTS).optional(),
  effort_with_tools: flag().optional(),
  parallel_tools: flag().optional(),
  user_after_tools: flag().optional(),
  temperature: flag().optional(),
  strict_tools: flag().optional(),
  service_tiers: listOf(SERVICE_TIERS).optional(),
  cache_ttls: listOf(CACHE_TTLS).optional(),
  headers: headersKey.optional(),
  options: optionsKey.optional(),
};

/** The abilities as written. */
export function modelAbilities(written: z.output<ReturnType<typeof table<typeof modelKeys>>>): ModelAbilities {
  const headers = Object.entries(written.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  return Object.freeze({
    like: written.like,
    images: written.images,
    documents: written.documents,
    thinking: written.thinking,
    effort: written.effort,
    efforts: written.efforts && Object.freeze(written.efforts),
    effortWithTools: written.effort_with_tools,
    parallelTools: written.parallel_tools,
    userAfterTools: written.user_after_tools,
    temperature: written.temperature,
    strictTools: written.strict_tools,
    serviceTiers: written.service_tiers && Object.freeze(written.service_tiers),
    cacheTtls: written.cache_ttls && Object.freeze(written.cache_ttls),
    headers: written.headers && Object.freeze(Object.fromEntries(headers) as Record<string, string>),
    options: written.options && Object.freeze(written.options),
  });
}
