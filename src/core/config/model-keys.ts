/** The keys of `[models."provider/model"]` that say what a model can do. docs/config.md lists them too. */
import type { z } from 'zod';
import { flag, listOf, matching, oneOf, type table } from '../toml/fields.ts';
import { THINKING } from './model-abilities.ts';
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
export type ModelKeys = z.output<ReturnType<typeof table<typeof modelKeys>>>;
