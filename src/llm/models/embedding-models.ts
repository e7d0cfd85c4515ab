import { openCatalogue } from './catalogue.ts';
import { type EmbeddingEntry, readCatalogueFile } from './catalogue-file.ts';
import type { ModelOverride } from './model-info.ts';
import { overrideNames } from './model-names.ts';

/** What is known of a model that turns texts into vectors. */
export interface EmbeddingInfo {
  /** The dimensions of its vectors unless fewer are asked for; null: unknown. */
  readonly dimensions: number | null;
  /** True: it makes shorter vectors where a request says so. */
  readonly shortens: boolean;
  /** Tokens of one text; null: unknown. Longer texts are cut. */
  readonly maxInputTokens: number | null;
  /** USD per million tokens; null: unknown. */
  readonly usdPerMillion: number | null;
  /** Sent with its requests, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Fields added to the body of its requests. */
  readonly options: Readonly<Record<string, unknown>>;
}

/**
 * Looks up a model: the configuration first, then the catalogue. At another provider than its vendor, a model of the catalogue keeps
 * its abilities and has no price, unless the configuration says `like`.
 */
export function embeddingInfo(
  provider: string,
  model: string,
  overrides: Readonly<Record<string, ModelOverride>> = {},
): EmbeddingInfo {
  const own = Object.assign(
    {},
    ...overrideNames(`${provider}/${model}`, Object.keys(overrides)).map((name) => overrides[name]),
  ) as ModelOverride;
  const { embeddings } = readCatalogueFile<unknown>();
  const vendor = own.like === undefined ? provider : own.like.slice(0, own.like.indexOf('/'));
  const name = own.like === undefined ? model : own.like.slice(own.like.indexOf('/') + 1);
  const atVendor = embeddings[vendor]?.[name];
  const found: EmbeddingEntry | undefined = atVendor ?? elsewhere(embeddings, name);
  return {
    dimensions: found?.dimensions ?? null,
    shortens: found?.shortens ?? false,
    maxInputTokens: own.contextWindow ?? found?.maxInputTokens ?? null,
    usdPerMillion: own.prices?.input ?? priceOf(vendor, name),
    headers: own.headers ?? {},
    options: own.options ?? {},
  };
}

function priceOf(vendor: string, name: string): number | null {
  return openCatalogue().prices.file.vendors[vendor]?.[name]?.rates.input ?? null;
}

/** The names of the models of a vendor that make embeddings. */
export function embeddingModels(vendor: string): readonly string[] {
  return Object.keys(readCatalogueFile<unknown>().embeddings[vendor] ?? {});
}

function elsewhere(
  embeddings: Readonly<Record<string, Readonly<Record<string, EmbeddingEntry>>>>,
  name: string,
): EmbeddingEntry | undefined {
  const bare = name.slice(name.lastIndexOf('/') + 1);
  return Object.values(embeddings).find((models) => Object.hasOwn(models, bare))?.[bare];
}
