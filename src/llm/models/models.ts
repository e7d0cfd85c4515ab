import type { WireChoice } from '../../core/config/config.ts';
import type { CacheTtl, Effort, ServiceTier, StructuredOutputs } from '../../core/config/model-words.ts';
import { type CatalogueFile, readCatalogueFile } from './catalogue-file.ts';
import { longestStart, namesOf, overrideNames } from './model-names.ts';

/** USD per million tokens. Tokens without a price of their own cost as much as plain input. */
interface Prices {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  /** For a cache entry with a TTL of five minutes (Anthropic). */
  readonly cacheWrite: number;
}

/** The properties of a model. */
export interface ModelInfo {
  /** Tokens of prompt and answer together. Default 128,000. */
  readonly contextWindow: number;
  /** Tokens of one answer; null where unknown. */
  readonly maxOutput: number | null;
  /** Null if unknown; budgets in USD are then refused. */
  readonly prices: Prices | null;
  /** Other prices, for every token of a call whose prompt is longer. */
  readonly longPrompt: { readonly aboveTokens: number; readonly prices: Prices } | null;
  /**
   * How it thinks. `budget`: within a given budget (Claude up to 4.6). `adaptive`: decides itself and refuses a budget
   * (Claude 4.7 to 5). `bound`: like `adaptive`, but always thinks, and its thinking blocks are only valid after an
   * unchanged history (Claude Fable 5.1, 5.5). `always`: OpenAI's reasoning models. `none`: no thinking, or no option for it.
   */
  readonly thinking: 'none' | 'budget' | 'adaptive' | 'bound' | 'always';
  /** Accepts a reasoning effort. */
  readonly effort: boolean;
  /** The levels it accepts, where it accepts an effort. Default low, medium, high. */
  readonly efforts: readonly Effort[];
  /** Accepts an effort together with tools; OpenAI's Chat Completions refuses both together since GPT-5.4. */
  readonly effortWithTools: boolean;
  /** Accepts `parallel_tool_calls`; OpenAI's o-series refuses this field. */
  readonly parallelTools: boolean;
  /** Accepts a user message right after tool messages; Mistral's models refuse it ("unexpected role user after role tool"). */
  readonly userAfterTools: boolean;
  /** Accepts a temperature. */
  readonly temperature: boolean;
  /** Sees images. */
  readonly images: boolean;
  /** Reads PDF files. The catalogue's entries: the models of Anthropic and OpenAI that see images. */
  readonly documents: boolean;
  /** Share of the price that a turn in a batch costs; default 0.5. */
  readonly batchShare: number;
  /** The wire format to reach it with; null: that of its provider's kind. The catalogue's value applies at the vendor itself. */
  readonly wire: WireChoice | null;
  /** How it holds an answer to a schema. Through another provider than the vendor: `none`, unless the configuration says more. */
  readonly structuredOutputs: StructuredOutputs;
  /** Holds the inputs of tools to their schemas (`strict`). */
  readonly strictTools: boolean;
  /** The classes of service that can be asked for. */
  readonly serviceTiers: readonly ServiceTier[];
  /** The cache lifetimes that can be asked for. */
  readonly cacheTtls: readonly CacheTtl[];
  /** Sent with its requests, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Fields added to the body of its requests. */
  readonly options: Readonly<Record<string, unknown>>;
  /** False if neither the catalogue, one of its families, nor the configuration has an entry for it. */
  readonly known: boolean;
}

/** The keys for a model in `animus.toml`; missing ones keep the value of the catalogue. */
export interface ModelOverride extends Partial<Omit<ModelInfo, 'known'>> {
  /** A model of the catalogue, `vendor/model`, whose abilities and prices it has: for names of one's own. */
  readonly like?: string;
}

/** A catalogue entry. `vendor` is the provider name to which its prices apply. */
interface ModelEntry {
  readonly vendor: string;
  readonly model: string;
  readonly info: ModelInfo;
}

/** The built-in catalogue, from models.json. */
export interface Catalogue {
  /** The day on which its numbers were checked, ISO date. */
  readonly checked: string;
  readonly entries: readonly ModelEntry[];
}

const UNKNOWN: ModelInfo = {
  contextWindow: 128_000,
  maxOutput: null,
  prices: null,
  longPrompt: null,
  thinking: 'none',
  effort: false,
  efforts: ['low', 'medium', 'high'],
  effortWithTools: true,
  parallelTools: true,
  userAfterTools: true,
  temperature: true,
  images: false,
  documents: false,
  batchShare: 0.5,
  wire: null,
  structuredOutputs: 'none',
  strictTools: false,
  serviceTiers: [],
  cacheTtls: [],
  headers: {},
  options: {},
  known: false,
};

/** A gateway has prices and an API of its own. */
const AT_THE_VENDOR_ONLY = {
  prices: null,
  longPrompt: null,
  wire: null,
  structuredOutputs: 'none',
  strictTools: false,
  serviceTiers: [],
  cacheTtls: [],
} as const satisfies ModelOverride;

interface Indexed extends Catalogue {
  readonly byVendor: ReadonlyMap<string, ModelInfo>;
  readonly byName: ReadonlyMap<string, ModelEntry>;
  readonly families: CatalogueFile<ModelOverride>['families'];
}

let loaded: Indexed | null = null;

/** The catalogue; read on first use, then kept. */
export function builtInCatalogue(): Catalogue {
  return catalogue();
}

function catalogue(): Indexed {
  loaded ??= readCatalogue();
  return loaded;
}

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
  const base = sources.catalogue?.info ?? UNKNOWN;
  if (sources.overrides.length === 0) return base;
  const { like: _, ...own } = Object.assign({}, ...sources.overrides.map((name) => overrides[name])) as ModelOverride;
  return { ...base, ...own, known: true };
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
  const info = catalogue().byVendor.get(entry);
  if (!info) return null;
  const { prices, longPrompt } = info;
  return { entry, by: 'like', info: { ...info, ...AT_THE_VENDOR_ONLY, prices, longPrompt } };
}

function findBuiltIn(provider: string, model: string): FoundModel | null {
  const { byVendor, byName, families } = catalogue();
  const names = namesOf(model);
  for (const name of names.own) {
    const info = byVendor.get(`${provider}/${name}`);
    if (info) return { entry: `${provider}/${name}`, by: 'own', info };
  }
  for (const name of names.elsewhere) {
    const found = byName.get(name);
    if (found)
      return { entry: `${found.vendor}/${name}`, by: 'elsewhere', info: { ...found.info, ...AT_THE_VENDOR_ONLY } };
  }
  for (const name of names.elsewhere) {
    const start = longestStart(name, Object.keys(families));
    const entry = start === null ? undefined : families[start];
    const info = entry === undefined ? undefined : byVendor.get(entry);
    if (!info || entry === undefined) continue;
    const atVendor = entry.startsWith(`${provider}/`);
    // A new model of the vendor has its abilities there, but not the price.
    const unknown = atVendor ? { prices: null, longPrompt: null } : AT_THE_VENDOR_ONLY;
    return { entry, by: 'family', info: { ...info, ...unknown } };
  }
  return null;
}

/** Vendors whose models with images read PDF files too. */
const READS_DOCUMENTS: ReadonlySet<string> = new Set(['anthropic', 'openai']);

function readCatalogue(): Indexed {
  const file = readCatalogueFile<ModelOverride>();
  const entries = Object.entries(file.vendors).flatMap(([vendor, models]) =>
    Object.entries(models).map(([model, info]) => ({
      vendor,
      model,
      info: {
        ...UNKNOWN,
        documents: READS_DOCUMENTS.has(vendor) && info.images === true,
        ...file.defaults[vendor],
        ...info,
        known: true,
      },
    })),
  );
  return {
    checked: file.checked,
    entries,
    byVendor: new Map(entries.map(({ vendor, model, info }) => [`${vendor}/${model}`, info])),
    byName: new Map(entries.toReversed().map((entry) => [entry.model, entry])),
    families: file.families,
  };
}
