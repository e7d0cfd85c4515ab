/** Resolves the models of a configuration by name; reads no file and opens no connection. */
import type { EngageSettings } from '../../catalog/faculty.ts';
import type { Config, ModelConfig } from '../../core/config/config.ts';
import type { ModelNames } from '../../llm/locate-model.ts';
import type { ModelOptions } from '../../llm/model-options.ts';
import type { ModelOverride } from '../../llm/models/models.ts';

/** The configuration's providers and its overrides of the catalogue. */
export function modelNames(config: Config): ModelNames & { readonly models: Readonly<Record<string, ModelOverride>> } {
  return {
    providers: Object.fromEntries(
      [...config.providers].map(([name, provider]) => {
        const wire = provider.kind === 'scripted' ? null : provider.wire;
        return [name, { kind: provider.kind, ...(wire !== null && { wire }) }];
      }),
    ),
    defaultProvider: config.defaultProvider,
    models: Object.fromEntries([...config.models].map(([name, model]) => [name, overrideOf(model)])),
  };
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

function overrideOf(model: ModelConfig): ModelOverride {
  const { input, output, cacheRead, cacheWrite } = model.usdPerMillion;
  const priced = input !== undefined && output !== undefined;
  return {
    ...(model.contextWindow !== undefined && { contextWindow: model.contextWindow }),
    ...(model.maxOutput !== undefined && { maxOutput: model.maxOutput }),
    ...(model.wire !== undefined && { wire: model.wire }),
    ...(model.structuredOutputs !== undefined && { structuredOutputs: model.structuredOutputs }),
    // A vendor without cache prices bills cached tokens like others.
    ...(priced && { prices: { input, output, cacheRead: cacheRead ?? input, cacheWrite: cacheWrite ?? input } }),
  };
}
