/** Models as JSON. */

import type { ListedModel } from '../../../llm/models/list-models.ts';
import { type Prices, type Rates, ratesAt } from '../../../llm/models/prices.ts';
import { row } from '../../../operations/row.ts';

const prices = row((s) =>
  s.z
    .object({ input: s.z.number(), output: s.z.number(), cache_read: s.z.number(), cache_write: s.z.number() })
    .meta({ id: 'ModelPrices' }),
);

/** What the API says of a model. */
export const modelRow = row((s) =>
  s.z
    .object({
      provider: s.z.string(),
      model: s.z.string(),
      overridden: s.z.boolean().describe('the configuration of the server overrides values of the catalogue'),
      context_window: s.z.int(),
      max_output: s.z.int().nullable(),
      usd_per_million: prices(s).nullable(),
      images: s.z.boolean(),
      thinking: s.z.string(),
      effort: s.z.boolean(),
      temperature: s.z.boolean(),
    })
    .meta({ id: 'Model' }),
);

/** The models of a provider, and of a name, with all that a terminal prints of them. */
export function modelDocuments(
  models: readonly ListedModel[],
  wanted: { readonly provider?: string | undefined; readonly model?: string | undefined },
) {
  return models
    .filter(({ provider }) => wanted.provider === undefined || provider === wanted.provider)
    .filter(({ model }) => wanted.model === undefined || model === wanted.model)
    .map(documentOf);
}

function documentOf({ provider, model, info, overridden }: ListedModel) {
  return {
    provider,
    model,
    overridden,
    context_window: info.contextWindow,
    max_output: info.maxOutput,
    ...ratesJson(ratesAt(info, new Date())),
    price_changes: info.priceChanges.map(({ from, daily, ...rates }) => ({
      from: from ?? null,
      daily: daily ?? null,
      ...ratesJson(rates),
    })),
    thinking: info.thinking,
    effort: info.effort,
    effort_with_tools: info.effortWithTools,
    parallel_tools: info.parallelTools,
    user_after_tools: info.userAfterTools,
    temperature: info.temperature,
    images: info.images,
  };
}

function ratesJson({ prices: known, longPrompt }: Rates) {
  return {
    usd_per_million: known && pricesJson(known),
    long_prompt: longPrompt && { above_tokens: longPrompt.aboveTokens, usd_per_million: pricesJson(longPrompt.prices) },
  };
}

function pricesJson({ input, output, cacheRead, cacheWrite }: Prices) {
  return { input, output, cache_read: cacheRead, cache_write: cacheWrite };
}
