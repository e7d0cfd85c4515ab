/** The catalogue of models: their abilities, from models.json, and their prices, from the public table. */
import { type CatalogueFile, readCatalogueFile } from './catalogue-file.ts';
import { type ModelInfo, type ModelOverride, UNKNOWN_MODEL } from './model-info.ts';
import { longestStart } from './model-names.ts';
import { type FileRates, type PricedModel, type UsedPrices, usedPrices } from './price-file.ts';
import { homeOfPrices } from './price-home.ts';
import type { PricePlan, Prices, Rates } from './prices.ts';

/** A model of the catalogue. `vendor` is the provider name to which its prices apply. */
export interface CatalogueEntry {
  readonly vendor: string;
  readonly model: string;
  readonly info: ModelInfo;
  /** Where its prices come from, for people: a source and a day. */
  readonly priceSource: string;
}

export interface Catalogue {
  readonly entries: readonly CatalogueEntry[];
  /** By `vendor/name`, also under the other names of a model. */
  readonly byVendor: ReadonlyMap<string, CatalogueEntry>;
  /** By name. Of two vendors that have it, the first. */
  readonly byName: ReadonlyMap<string, CatalogueEntry>;
  /** The start of a name → the model, `vendor/model`, whose abilities a new name with this start gets. */
  readonly families: Readonly<Record<string, string>>;
  /** Where the table of prices comes from. */
  readonly prices: UsedPrices;
}

let opened: { readonly home: string | null; readonly catalogue: Catalogue } | null = null;

/** The catalogue; read on first use, then kept. */
export function openCatalogue(): Catalogue {
  const home = homeOfPrices();
  if (opened?.home !== home || opened === null) {
    opened = { home, catalogue: readCatalogue(readCatalogueFile<Abilities>(), usedPrices(home)) };
  }
  return opened.catalogue;
}

/** An entry of models.json. `prices` are those of a model that the table lacks, with their source. */
interface Abilities extends ModelOverride {
  readonly priceSource?: string;
}

function readCatalogue(file: CatalogueFile<Abilities>, prices: UsedPrices): Catalogue {
  const vendors = new Set([...Object.keys(file.vendors), ...Object.keys(prices.file.vendors)]);
  const named = [...vendors].flatMap((vendor) => modelsOf(vendor, file, prices));
  // A model's own name wins over another's further name, and the first vendor over later ones.
  const [own, further] = [named.filter(({ isOwn }) => isOwn), named.filter(({ isOwn }) => !isOwn)];
  const ranked = [...further, ...own.toReversed()];
  return {
    entries: own.map(({ entry }) => entry),
    byVendor: new Map(ranked.map(({ name, entry }) => [`${entry.vendor}/${name}`, entry])),
    byName: new Map(ranked.map(({ name, entry }) => [name, entry])),
    families: file.families,
    prices,
  };
}

interface Named {
  readonly name: string;
  readonly entry: CatalogueEntry;
  readonly isOwn: boolean;
}

/** The models of a vendor under all their names: first those that models.json describes, in its order. */
function modelsOf(vendor: string, file: CatalogueFile<Abilities>, { file: { source, vendors } }: UsedPrices): Named[] {
  const described = file.vendors[vendor] ?? {};
  const rows = vendors[vendor] ?? {};
  const chat = Object.keys(rows).filter((model) => rows[model]?.rates.output !== undefined);
  return [...new Set([...Object.keys(described), ...chat])].flatMap((model) => {
    const { priceSource = '', ...abilities } = described[model] ?? ofFamily(vendor, model, file);
    const row = rows[model];
    const info: ModelInfo = {
      ...UNKNOWN_MODEL,
      documents: READS_DOCUMENTS.has(vendor) && abilities.images === true,
      ...file.defaults[vendor],
      ...(row?.contextWindow !== undefined && { contextWindow: row.contextWindow }),
      ...abilities,
      ...(row && plan(row)),
      known: true,
    };
    const ofTable = `${source.package} ${source.version}, ${source.published}`;
    const entry = { vendor, model, info, priceSource: row ? ofTable : priceSource };
    const further = (row?.names ?? []).map((name) => ({ name, entry, isOwn: false }));
    return [{ name: model, entry, isOwn: true }, ...further];
  });
}

/** Vendors whose models with images read PDF files too. */
const READS_DOCUMENTS: ReadonlySet<string> = new Set(['anthropic', 'openai']);

/** What a model that only the table has is taken to be able to do: what its family can, but for its sizes, which the table knows. */
function ofFamily(vendor: string, model: string, { families, vendors }: CatalogueFile<Abilities>): Abilities {
  const starts = Object.keys(families).filter((start) => families[start]?.startsWith(`${vendor}/`));
  const start = longestStart(model, starts);
  const like = start === null ? undefined : families[start]?.slice(vendor.length + 1);
  const family = like === undefined ? undefined : vendors[vendor]?.[like];
  if (family === undefined) return {};
  const { contextWindow: _, maxOutput: __, prices: ___, longPrompt: ____, priceSource: _____, ...abilities } = family;
  return abilities;
}

/** A vendor without cache prices bills cached tokens like others. */
function plan({ rates, changes = [] }: PricedModel): PricePlan {
  return {
    ...ratesOf(rates),
    priceChanges: changes.map(({ from, daily, ...changed }) => ({
      ...(from !== undefined && { from }),
      ...(daily && { daily }),
      ...ratesOf(changed),
    })),
  };
}

function ratesOf({ long, ...rates }: FileRates): Rates {
  return {
    prices: pricesOf(rates),
    longPrompt: long ? { aboveTokens: long.aboveTokens, prices: pricesOf(long) } : null,
  };
}

function pricesOf({ input, output = 0, cacheRead = input, cacheWrite = input }: Omit<FileRates, 'long'>): Prices {
  return { input, output, cacheRead, cacheWrite };
}
