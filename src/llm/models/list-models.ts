import { builtInCatalogue, type ModelInfo, type ModelOverride, modelInfo } from './models.ts';

/** A model that something is known of. */
export interface ListedModel {
  readonly provider: string;
  readonly model: string;
  /** As a call to it would find it. */
  readonly info: ModelInfo;
  /** What the configuration says of it goes over the catalogue. */
  readonly overridden: boolean;
}

/** Every model of the catalogue and of the configuration, by provider and then in the catalogue's order. */
export function listModels(overrides: Readonly<Record<string, ModelOverride>>): readonly ListedModel[] {
  const names = builtInCatalogue().entries.map(({ vendor, model }) => `${vendor}/${model}`);
  const listed = [...new Set([...names, ...Object.keys(overrides)])].map((name) => {
    const slash = name.indexOf('/');
    const [provider, model] = [name.slice(0, slash), name.slice(slash + 1)];
    const overridden = Object.hasOwn(overrides, name);
    return { provider, model, overridden, info: modelInfo(provider, model, overrides) };
  });
  return [...Map.groupBy(listed, ({ provider }) => provider).values()].flat();
}
