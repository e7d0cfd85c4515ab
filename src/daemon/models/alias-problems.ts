import type { Config } from '../../core/config/config.ts';
import { type Problem, placeAt, problemAt, showValue } from '../../core/errors/problem.ts';
import { didYouMean } from '../../core/errors/suggest.ts';
import type { LocatedModel } from '../../llm/locate-model.ts';
import { openCatalogue } from '../../llm/models/catalogue.ts';
import { modelSources } from '../../llm/models/models.ts';
import { modelNames } from './model-names.ts';

/** The problems of `like` for these models: what it names must be in the catalogue, or the model would have no price and other abilities. */
export function aliasProblems(models: readonly LocatedModel[], config: Config): readonly Problem[] {
  const { models: overrides } = modelNames(config);
  return models.flatMap(({ provider, model }) => {
    const sources = modelSources(provider, model, overrides);
    const name = sources.overrides.findLast((each) => overrides[each]?.like !== undefined);
    if (name === undefined || sources.catalogue !== null) return [];
    const like = overrides[name]?.like ?? '';
    const known = openCatalogue().entries.map((entry) => `${entry.vendor}/${entry.model}`);
    const key = `models."${name}".like`;
    const place = placeAt(config.origins.get(key), config.file ?? 'animus.toml', key);
    const expected = 'a model of the catalogue (see: animus models)';
    return [problemAt('config.invalid', place, { expected, value: showValue(like), hint: didYouMean(like, known) })];
  });
}
