/** Resolves the models of a configuration by name; reads no file and opens no connection. */
import type { EngageSettings } from '../../catalog/faculty/faculty.ts';
import type { Config } from '../../core/config/config.ts';
import type { ModelConfig } from '../../core/config/providers/models.ts';
import type { ModelNames } from '../../llm/locate-model.ts';
import type { ModelOptions } from '../../llm/model-options.ts';
import type { ModelOverride } from '../../llm/models/model-info.ts';

/** The configuration's providers and its overrides of the catalogue. */
export function modelNames(config: Config): ModelNames & { readonly models: Readonly<Record<string, ModelOverride>> } {
  return {
    providers: Object.fromEntries(
      [...config.providers].map(([name, provider]) => {
        const wire = provider.kind === 'scripted' ? null : provider.wire;
        const standsIn = provider.kind === 'scripted' && provider.standsIn === true;
        return [name, { kind: provider.kind, ...(wire !== null && { wire }), ...(standsIn && { standsIn }) }];
      }),
    ),
    defaultProvider: config.defaultProvider,
    models: overridesOf(config),
  };
}

/**
 * What all models of Ollama have unless the file says otherwise. It reserves memory for the whole window, so they do not get
 * the largest that they could have; a grammar blocks tool calls, so answers are held to a schema in a closing turn.
 */
const OF_OLLAMA: ModelOverride = {
  contextWindow: 32_768,
  structuredOutputs: 'closing',
  efforts: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
};

function overridesOf({ providers, models }: Config): Record<string, ModelOverride> {
  const overrides: Record<string, ModelOverride> = {};
  for (const { name, kind } of providers.values()) {
    if (kind === 'ollama') overrides[`${name}/*`] = OF_OLLAMA;
  }
  for (const [name, model] of models) overrides[name] = { ...overrides[name], ...overrideOf(model) };
  return overrides;
}

/** What a faculty requires of each model of its chain. */
export function modelOptions(engage: EngageSettings): ModelOptions {
  return {
    maxTokens: engage.maxTokens,
    ...(engage.temperature !== null && { temperature: engage.temperature }),
    ...(engage.thinkingBudgetTokens !== null && { thinkingBudgetTokens: engage.thinkingBudgetTokens }),
    ...(engage.effort !== null && { effort: engage.effort }),
    ...(engage.serviceTier !== null && { serviceTier: engage.serviceTier }),
    ...(engage.cacheTtl !== null && { cacheTtl: engage.cacheTtl }),
    ...(engage.structuredOutputs &&
      engage.outcomeSchema !== null && { outputSchema: { name: 'outcome', schema: engage.outcomeSchema } }),
    ...(engage.strictTools && { strictTools: true }),
    ...(engage.stop.length > 0 && { stop: engage.stop }),
  };
}

function overrideOf({ usdPerMillion: price, ...given }: ModelConfig): ModelOverride {
  if (price === undefined) return given;
  const { input, output, cacheRead, cacheWrite } = price;
  // A vendor without cache prices bills cached tokens like others.
  return { ...given, prices: { input, output, cacheRead: cacheRead ?? input, cacheWrite: cacheWrite ?? input } };
}
