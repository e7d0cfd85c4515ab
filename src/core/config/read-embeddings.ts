/** `[embeddings]` of animus.toml. */
import { type Problem, problemAt } from '../errors/problem.ts';
import { didYouMean } from '../errors/suggest.ts';
import type { StrictDocument } from '../toml/strict-toml.ts';
import { EMBEDDING_KINDS, type EmbeddingsConfig, type ProviderConfig } from './config.ts';
import type { ConfigDocument } from './config-schema.ts';

/** The model of embeddings; null if there is no table, or with a problem in it, which is added to `problems`. */
export function embeddingsOf(
  document: StrictDocument<ConfigDocument>,
  providers: ReadonlyMap<string, ProviderConfig>,
  problems: Problem[],
): EmbeddingsConfig | null {
  const table = document.sound?.embeddings;
  if (table === undefined) return null;
  const { provider: name, model, dimensions } = table;
  const provider = providers.get(name);
  const refuse = (detail: string) => {
    problems.push(problemAt('config.conflict', document.placeOf('embeddings', 'provider'), { detail }));
    return null;
  };
  if (provider === undefined) {
    // A provider with problems of its own counts as known.
    if (document.written('providers', name) !== undefined) return null;
    const known = [...providers.keys()];
    return refuse(`no provider named ${name}${didYouMean(name, known) || ` (there are ${known.join(', ')})`}`);
  }
  if (!(EMBEDDING_KINDS as readonly string[]).includes(provider.kind)) {
    const kinds = EMBEDDING_KINDS.map((kind) => `"${kind}"`).join(', ');
    return refuse(`provider ${name} of kind "${provider.kind}" has no embeddings; use one of kind ${kinds}`);
  }
  return Object.freeze({
    provider: name,
    model,
    dimensions,
    batchSize: table.batch_size,
    requestDimensions: table.request_dimensions ?? null,
  });
}
