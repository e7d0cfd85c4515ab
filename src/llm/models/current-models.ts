/** The newest model of each line of a vendor (Opus, Sonnet, Haiku …), for people who choose one. */
import { type ListedModel, listModels } from './list-models.ts';

/** At most `limit` models of a provider of the catalogue: of models whose names differ only in their numbers, the first, which is the newest. */
export function currentModels(provider: string, limit: number): readonly ListedModel[] {
  const lines = Map.groupBy(
    listModels({}).filter((each) => each.provider === provider),
    ({ model }) => model.replaceAll(/[-.]?\d+/g, ''),
  );
  return [...lines.values()].map(([newest]) => newest!).slice(0, limit);
}
