/** The models that a command knows. */
import type { Config } from '../../core/config/config.ts';
import { modelNames } from '../../daemon/models/model-names.ts';
import { type ListedModel, listModels } from '../../llm/models/list-models.ts';

/** Those of the catalogue, with what the configuration says of them. */
export function knownModels(config: Config): readonly ListedModel[] {
  return listModels(modelNames(config).models);
}
