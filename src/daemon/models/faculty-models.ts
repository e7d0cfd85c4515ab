/** The models that a faculty uses, resolved by this configuration. */
import { type Faculty, modelChain } from '../../catalog/faculty/faculty.ts';
import type { Config, ProviderConfig } from '../../core/config/config.ts';
import { type Problem, problemAt, showValue } from '../../core/errors/problem.ts';
import { didYouMean } from '../../core/errors/suggest.ts';
import { type LocatedModel, locateModel } from '../../llm/locate-model.ts';
import { listModels } from '../../llm/models/list-models.ts';
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
  /** False if its name is in neither the catalogue nor animus.toml. */
  readonly isListed: boolean;
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
      isListed: overrides.length > 0 || (catalogue !== null && catalogue.by !== 'family'),
    };
  });
}

/**
 * Models of a vendor's own provider that are not in the catalogue. Mostly a typing error, sometimes a model newer than this
 * animus, so these are notes and not problems. Other providers choose their own model names.
 */
export function unknownModels(faculty: Faculty, config: Config): readonly Problem[] {
  const listed = listModels(modelNames(config).models);
  return facultyModels(faculty, config).flatMap((model) => {
    const ofVendor = listed.filter(({ provider }) => provider === model.provider).map((each) => each.model);
    // A custom address may be a gateway with its own model names.
    const elsewhere = config.origins.get(`providers.${model.provider}.base_url`) !== 'default';
    if (model.isListed || ofVendor.length === 0 || elsewhere) return [];
    const origin = faculty.origins[`engage.${model.key}`];
    const line = origin?.startsWith(`${faculty.file}:`) ? Number(origin.slice(faculty.file.length + 1)) : null;
    const place = { file: faculty.file, line, key: `faculty.engage.${model.key}` };
    const expected = 'a model of the catalogue (see: animus models), or one that animus.toml describes';
    const hint = didYouMean(model.model, ofVendor);
    return [problemAt('config.invalid', place, { expected, value: showValue(model.written), hint })];
  });
}
