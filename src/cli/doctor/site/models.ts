/** Checks the names and prices of models, without any network call. */
import type { Faculties } from '../../../catalog/faculties.ts';
import type { Config } from '../../../core/config/config.ts';
import { priceRemarks } from '../../../daemon/models/price-remarks.ts';
import { unknownEmbeddings, unknownModels } from '../../../daemon/models/unknown-models.ts';
import { type Finding, note } from '../../../terminal/view/finding.ts';

/** A note for each model of a faculty and of `[embeddings]` that its provider may not have, and for prices that are old or missing. */
export function examineModels({ faculties }: Pick<Faculties, 'faculties'>, config: Config): readonly Finding[] {
  const ofFaculties = [...faculties.values()].flatMap((faculty) => unknownModels(faculty, config));
  return [
    ...[...ofFaculties, ...unknownEmbeddings(config)].map(({ message }) => note('models', message, REMEDY)),
    ...priceRemarks(faculties.values(), config).map(({ message, remedy }) => note('prices', message, remedy)),
  ];
}

const REMEDY =
  'correct the name; or, if the model is newer than this animus, describe it in animus.toml: [models."PROVIDER/MODEL"]';
