/** The models that a faculty uses, resolved by this configuration. */
import { type Faculty, modelChain } from '../../catalog/faculty/faculty.ts';
import type { Config } from '../../core/config/config.ts';
import type { ProviderConfig } from '../../core/config/providers/provider.ts';
import { type LocatedModel, locateModel } from '../../llm/locate-model.ts';
import { modelSources } from '../../llm/models/models.ts';
import { modelNames } from './model-names.ts';

/** A model of a faculty's chain. */
export interface FacultyModel extends LocatedModel {
  /** As the faculty names it. */
  readonly written: string;
  readonly key: 'model' | 'fallback_models';
  readonly settings: ProviderConfig | null;
  /** Where the model is defined: `file:line` of animus.toml, the `catalogue`, `family of …` it, or `nowhere`. */
  readonly knownFrom: string;
}

/** In the order in which they are tried; empty when a command does the work. */
export function facultyModels({ engage }: Faculty, config: Config): readonly FacultyModel[] {
  const names = modelNames(config);
  return modelChain(engage).map((written, index) => {
    const located = locateModel(written, names);
    const { overrides, catalogue } = modelSources(located.provider, located.model, names.models);
    const origin = overrides
      .map((name) => config.origins.get(`models."${name}"`))
      .findLast((each) => each !== undefined);
    return {
      ...located,
      written,
      key: index === 0 ? 'model' : 'fallback_models',
      settings: config.providers.get(located.provider) ?? null,
      knownFrom:
        origin ??
        (catalogue === null ? 'nowhere' : catalogue.by === 'family' ? `family of ${catalogue.entry}` : 'catalogue'),
    };
  });
}
