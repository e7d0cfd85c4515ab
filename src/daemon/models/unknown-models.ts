/** Finds model names that their vendor's own provider does not have. */
import { type Faculty, modelChain } from '../../catalog/faculty/faculty.ts';
import type { Config } from '../../core/config/config.ts';
import type { ProviderConfig } from '../../core/config/providers/provider.ts';
import { vendorUrl } from '../../core/config/providers/provider.ts';
import { type Place, type Problem, placeAt, problemAt, showValue } from '../../core/errors/problem.ts';
import { nearest } from '../../core/errors/suggest.ts';
import { splitModelName } from '../../llm/locate-model.ts';
import { openCatalogue } from '../../llm/models/catalogue.ts';
import { embeddingModels } from '../../llm/models/embedding-models.ts';
import { overrideNames } from '../../llm/models/model-names.ts';
import { modelSources } from '../../llm/models/models.ts';
import { modelNames } from './model-names.ts';

/**
 * Models of a faculty that are neither in the catalogue nor in animus.toml, each with the nearest one. Mostly a typing error, sometimes a
 * model newer than this animus, so these are remarks and keep nothing from running. Only of providers at a vendor's own
 * address: elsewhere names are the provider's own.
 */
export function unknownModels({ engage, file, origins }: Faculty, config: Config): readonly Problem[] {
  const names = modelNames(config);
  const asked = modelChain(engage).map((written, index) => ({ written, ...splitModelName(written, names), index }));
  return asked.flatMap(({ written, provider, model, index }) => {
    const vendor = vendorAt(config.providers.get(provider));
    if (vendor === null || isDescribed(`${provider}/${model}`, config)) return [];
    const { catalogue } = modelSources(vendor, model);
    // OpenAI's fine-tuned models have names of their own.
    if (catalogue?.by === 'own' || model.startsWith('ft:')) return [];
    const key = index === 0 ? 'model' : 'fallback_models';
    // The model of another vendor has its name right, and its provider wrong.
    const meant =
      catalogue?.by === 'elsewhere' && !catalogue.entry.startsWith(`${vendor}/`)
        ? catalogue.entry
        : nearest(model, modelsOf(vendor));
    const place = placeAt(origins[`engage.${key}`], file, `faculty.engage.${key}`);
    return [unknown(place, written, meant, 'a model of the catalogue (see: animus models)')];
  });
}

/** The same for the model of `[embeddings]`. */
export function unknownEmbeddings({ embeddings, providers, origins, ...config }: Config): readonly Problem[] {
  if (embeddings === null) return [];
  const { provider, model } = embeddings;
  const vendor = vendorAt(providers.get(provider));
  const known = vendor === null ? [] : embeddingModels(vendor);
  if (known.length === 0 || known.includes(model)) return [];
  if (isDescribed(`${provider}/${model}`, config)) return [];
  const place = placeAt(origins.get('embeddings.model'), config.file ?? 'animus.toml', 'embeddings.model');
  return [unknown(place, model, nearest(model, known), `an embedding model that ${vendor} has`)];
}

/** The vendor whose API a provider is, under whatever name: `anthropic` or `openai`; null: it may be a gateway, a cloud or a script. */
export function vendorAt(provider: ProviderConfig | undefined): string | null {
  if (provider === undefined || provider.kind === 'scripted') return null;
  return provider.baseUrl === vendorUrl(provider.kind) ? provider.kind : null;
}

/** What is said of all models of a provider describes none of them. */
function isDescribed(name: string, { models }: Pick<Config, 'models'>): boolean {
  const provider = name.slice(0, name.indexOf('/'));
  return overrideNames(name, [...models.keys()]).some((each) => each !== `${provider}/*`);
}

function modelsOf(vendor: string): string[] {
  return openCatalogue().entries.flatMap((entry) => (entry.vendor === vendor ? [entry.model] : []));
}

function unknown(place: Place, written: string, meant: string | null, known: string): Problem {
  const expected = `${known}, or one that animus.toml describes`;
  const hint = meant === null ? '' : ` (did you mean ${meant}?)`;
  return problemAt('config.invalid', place, { expected, value: showValue(written), hint });
}
