/** From configuration to the model a focus calls. */
import type { Faculty } from '../catalog/faculty.ts';
import type { Config, ModelConfig } from '../core/config.ts';
import type { FocusModel } from '../engage/model-turn.ts';
import { createLlm, type Llm } from '../llm/llm.ts';
import { costUsd, type ModelOverride } from '../llm/models.ts';
import type { ProviderSettings } from '../llm/provider-settings.ts';
import { loadScript } from '../llm/scripted/script.ts';

/** Where foci get their models. */
export interface ModelSource {
  /** The faculty's model; throws `llm.unknown_provider` where its provider is not configured. */
  forFocus(faculty: Faculty, focusId: string): FocusModel;
  stop(): Promise<void>;
}

/** Sets up every configured provider; scripts are read now, nothing is connected before the first call. */
export async function openModels(config: Config): Promise<ModelSource> {
  const llm = await createConfiguredLlm(config);
  return {
    forFocus(faculty, focusId) {
      const settings = faculty.engage;
      const resolved = llm.resolve(settings.model);
      return {
        client: resolved.client,
        provider: resolved.provider,
        model: resolved.model,
        contextWindow: resolved.info.contextWindow,
        settings: {
          maxTokens: settings.maxTokens,
          conversationId: focusId,
          ...(settings.temperature !== null && { temperature: settings.temperature }),
          ...(settings.thinkingBudgetTokens !== null && { thinkingBudgetTokens: settings.thinkingBudgetTokens }),
          ...(settings.reasoningEffort !== null && { reasoningEffort: settings.reasoningEffort }),
          ...(settings.stop.length > 0 && { stop: settings.stop }),
        },
        timeouts: { streamIdleMs: settings.streamIdleSeconds * 1000 },
        costUsd: (usage) => costUsd(resolved.info, usage) ?? 0,
      };
    },
    stop: () => llm.stop(),
  };
}

/** All providers and model overrides of the configuration as one Llm. */
export async function createConfiguredLlm(config: Config): Promise<Llm> {
  const providers: Record<string, ProviderSettings> = {};
  for (const provider of config.providers.values()) {
    providers[provider.name] =
      provider.kind === 'scripted'
        ? { kind: 'scripted', script: await loadScript(provider.script) }
        : { kind: provider.kind, baseUrl: provider.baseUrl, apiKey: provider.apiKey?.reveal() ?? null };
  }
  const models = Object.fromEntries([...config.models].map(([name, model]) => [name, overrideOf(model)]));
  return createLlm({ providers, defaultProvider: config.defaultProvider, models });
}

function overrideOf(model: ModelConfig): ModelOverride {
  const { input, output, cacheRead, cacheWrite } = model.usdPerMillion;
  const priced = input !== undefined && output !== undefined;
  return {
    ...(model.contextWindow !== undefined && { contextWindow: model.contextWindow }),
    ...(model.maxOutput !== undefined && { maxOutput: model.maxOutput }),
    // A vendor that names no cache prices bills cached tokens as others.
    ...(priced && { prices: { input, output, cacheRead: cacheRead ?? input, cacheWrite: cacheWrite ?? input } }),
  };
}
