import { type CatalogueEntry, openCatalogue } from './catalogue.ts';
import { type ModelInfo, type ModelOverride, UNKNOWN_MODEL } from './model-info.ts';
import { longestStart, namesOf, overrideNames } from './model-names.ts';

const NO_PRICES = { prices: null, longPrompt: null, priceChanges: [] } as const;

/** A gateway has prices and an API of its own. */
const AT_THE_VENDOR_ONLY = {
  ...NO_PRICES,
  wire: null,
  structuredOutputs: 'none',
  strictTools: false,
  serviceTiers: [],
  cacheTtls: [],
} as const satisfies ModelOverride;

/** Where a model's values come from: in order, the later win. */
export interface ModelSources {
  /** The entry of the catalogue, or null. */
  readonly catalogue: FoundModel | null;
  /** The names of the entries in `[models."…"]` that describe it, families first. */
  readonly overrides: readonly string[];
}

/** An entry of the catalogue that describes a model. */
interface FoundModel {
  /** `vendor/model`. */
  readonly entry: string;
  /**
   * `own`: this model at its vendor, with prices. `elsewhere`: this model at another provider. `family`: a model of the
   * same family. `like`: named by the configuration, with prices.
   */
  readonly by: 'own' | 'elsewhere' | 'family' | 'like';
  /** Where its prices come from, for people; empty: it has none here. */
  readonly priceSource: string;
  readonly info: ModelInfo;
}

/**
 * Looks up a model of a provider: the configuration first, then the catalogue. A dated or `-latest` name means the
 * undated model. A model of another vendor (through a gateway, a cloud, or under a name of your own) has its window and
 * abilities but no price and no wire format, because gateways have their own. A name that is not in the catalogue gets
 * those of its family, if it has one.
 */
export function modelInfo(
  provider: string,
  model: string,
  overrides: Readonly<Record<string, ModelOverride>> = {},
): ModelInfo {
  const sources = modelSources(provider, model, overrides);
  const base = sources.catalogue?.info ?? UNKNOWN_MODEL;
  if (sources.overrides.length === 0) return base;
  const { like: _, ...own } = Object.assign({}, ...sources.overrides.map((name) => overrides[name])) as ModelOverride;
  // A price of one's own holds at all times.
  return { ...base, ...(own.prices && { priceChanges: [] }), ...own, known: true };
}

/** The entries that `modelInfo` uses. */
export function modelSources(
  provider: string,
  model: string,
  overrides: Readonly<Record<string, ModelOverride>> = {},
): ModelSources {
  const names = overrideNames(`${provider}/${model}`, Object.keys(overrides));
  const like = names.map((name) => overrides[name]?.like).findLast((each) => each !== undefined);
  return { overrides: names, catalogue: like === undefined ? findBuiltIn(provider, model) : findLike(like) };
}

function findLike(entry: string): FoundModel | null {
  const found = openCatalogue().byVendor.get(entry);
  if (!found) return null;
  const { prices, longPrompt, priceChanges } = found.info;
  return {
    entry: nameOf(found),
    by: 'like',
    priceSource: found.priceSource,
    info: { ...found.info, ...AT_THE_VENDOR_ONLY, prices, longPrompt, priceChanges },
  };
}

function findBuiltIn(provider: string, model: string): FoundModel | null {
  const { byVendor, byName, families } = openCatalogue();
  const names = namesOf(model);
  for (const name of names.own) {
    const found = byVendor.get(`${provider}/${name}`);
    if (found) return { entry: nameOf(found), by: 'own', priceSource: found.priceSource, info: found.info };
  }
  for (const name of names.elsewhere) {
    const found = byName.get(name);
    if (found)
      return { entry: nameOf(found), by: 'elsewhere', priceSource: '', info: { ...found.info, ...AT_THE_VENDOR_ONLY } };
  }
  for (const name of names.elsewhere) {
    const start = longestStart(name, Object.keys(families));
    const entry = start === null ? undefined : families[start];
    const found = entry === undefined ? undefined : byVendor.get(entry);
    if (!found || entry === undefined) continue;
    const atVendor = entry.startsWith(`${provider}/`);
    // A new model of the vendor has its abilities there, but not the price.
    return {
      entry,
      by: 'family',
      priceSource: '',
      info: { ...found.info, ...(atVendor ? NO_PRICES : AT_THE_VENDOR_ONLY) },
    };
  }
  return null;
}

function nameOf({ vendor, model }: CatalogueEntry): string {
  return `${vendor}/${model}`;
}
