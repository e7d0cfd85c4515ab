import { openCatalogue } from './catalogue.ts';
import type { ModelInfo, ModelOverride } from './model-info.ts';
import { modelInfo, modelSources } from './models.ts';

/** A model of the catalogue or the configuration. */
export interface ListedModel {
  readonly provider: string;
  readonly model: string;
  /** The values that a call would use. */
  readonly info: ModelInfo;
  /** True: the configuration overrides values of the catalogue. */
  readonly overridden: boolean;
}

/** All models of the catalogue and of the configuration, by provider, then in the order of the catalogue. */
export function listModels(overrides: Readonly<Record<string, ModelOverride>>): readonly ListedModel[] {
  const names = openCatalogue().entries.map(({ vendor, model }) => `${vendor}/${model}`);
  const own = Object.keys(overrides).filter((name) => !name.endsWith('*'));
  const listed = [...new Set([...names, ...own])].map((name) => {
    const slash = name.indexOf('/');
    const [provider, model] = [name.slice(0, slash), name.slice(slash + 1)];
    const overridden = modelSources(provider, model, overrides).overrides.length > 0;
    return { provider, model, overridden, info: modelInfo(provider, model, overrides) };
  });
  return [...Map.groupBy(listed, ({ provider }) => provider).values()].flat();
}
