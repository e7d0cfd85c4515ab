/** The keys of `[models."provider/model"]` that say what a model can do. docs/config.md lists them too. */
import type { z } from 'zod';
import { flag, matching, oneOf, type table } from '../toml/fields.ts';
import { type ModelAbilities, THINKING } from './model-abilities.ts';
import { headersKey, optionsKey } from './provider-keys.ts';

export const modelKeys = {
  like: matching(/^[a-z0-9]+\/\S+$/, 'a model of the catalogue, "vendor/model"').optional(),
  images: flag().optional(),
  thinking: oneOf(THINKING).optional(),
  effort: flag().optional(),
  effort_with_tools: flag().optional(),
  parallel_tools: flag().optional(),
  user_after_tools: flag().optional(),
  temperature: flag().optional(),
  headers: headersKey.optional(),
  options: optionsKey.optional(),
};

/** The abilities as written. */
export function modelAbilities(written: z.output<ReturnType<typeof table<typeof modelKeys>>>): ModelAbilities {
  const headers = Object.entries(written.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  return Object.freeze({
    like: written.like,
    images: written.images,
    thinking: written.thinking,
    effort: written.effort,
    effortWithTools: written.effort_with_tools,
    parallelTools: written.parallel_tools,
    userAfterTools: written.user_after_tools,
    temperature: written.temperature,
    headers: written.headers && Object.freeze(Object.fromEntries(headers) as Record<string, string>),
    options: written.options && Object.freeze(written.options),
  });
}
