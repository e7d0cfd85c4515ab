/** The models that animus knows. */
import { z } from 'zod';
import { type ListedModel, listModels } from '../../llm/models/list-models.ts';
import { ratesAt } from '../../llm/models/prices.ts';
import { jsonRoute, type Route } from '../route/route.ts';

const prices = z
  .object({ input: z.number(), output: z.number(), cache_read: z.number(), cache_write: z.number() })
  .meta({ id: 'ModelPrices' });

const model = z
  .object({
    provider: z.string(),
    model: z.string(),
    overridden: z.boolean().describe('the configuration of the server overrides values of the catalogue'),
    context_window: z.int(),
    max_output: z.int().nullable(),
    usd_per_million: prices.nullable(),
    images: z.boolean(),
    thinking: z.string(),
    effort: z.boolean(),
    temperature: z.boolean(),
  })
  .meta({ id: 'Model' });

const listRoute = jsonRoute({
  id: 'listModels',
  method: 'GET',
  path: '/models',
  tag: 'operate',
  summary: 'The models that animus knows, with context windows, prices and abilities',
  scope: 'read',
  query: z.strictObject({
    provider: z.string().optional().describe('only its models'),
    model: z.string().optional().describe('its name'),
  }),
  output: z.object({ items: z.array(model) }),
  run: async ({ means }, { query }) => ({
    items: (means.models?.() ?? listModels({}))
      .filter((each) => query.provider === undefined || each.provider === query.provider)
      .filter((each) => query.model === undefined || each.model === query.model)
      .map(documentOf),
  }),
});

function documentOf({ provider, model: name, info, overridden }: ListedModel): z.input<typeof model> {
  const { input, output, cacheRead, cacheWrite } = ratesAt(info, new Date()).prices ?? {};
  return {
    provider,
    model: name,
    overridden,
    context_window: info.contextWindow,
    max_output: info.maxOutput,
    usd_per_million:
      input === undefined || output === undefined || cacheRead === undefined || cacheWrite === undefined
        ? null
        : { input, output, cache_read: cacheRead, cache_write: cacheWrite },
    images: info.images,
    thinking: info.thinking,
    effort: info.effort,
    temperature: info.temperature,
  };
}

export const modelRoutes: readonly Route[] = [listRoute];
