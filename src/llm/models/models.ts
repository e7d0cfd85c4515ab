import { readFileSync } from 'node:fs';
import type { WireChoice } from '../../core/config/config.ts';
import type { CacheTtl, Effort, ServiceTier, StructuredOutputs } from '../../core/config/model-words.ts';
import type { Usage } from '../client.ts';

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
  /** False if neither the catalogue nor the configuration has an entry for it. */
  readonly known: boolean;
}

/** The keys for a model in `animus.toml`; missing ones keep the value of the catalogue. */
export type ModelOverride = Partial<Omit<ModelInfo, 'known'>>;

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
  wire: null,
  structuredOutputs: 'none',
  strictTools: false,
  serviceTiers: [],
  cacheTtls: [],
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

interface CatalogueFile {
  readonly checked: string;
  /** What all models of a vendor have in common, where a model says nothing else. */
  readonly defaults: Readonly<Record<string, ModelOverride>>;
  readonly vendors: Readonly<Record<string, Readonly<Record<string, ModelOverride>>>>;
}

interface Indexed extends Catalogue {
  readonly byVendor: ReadonlyMap<string, ModelInfo>;
  readonly byName: ReadonlyMap<string, ModelInfo>;
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

/**
 * Looks up a model of a provider: the configuration first, then the catalogue. A dated or `-latest` name means the
 * undated model. A model of another vendor (through a gateway, or under a name of your own) has its window and abilities
 * but no price and no wire format, because gateways have their own.
 */
export function modelInfo(
  provider: string,
  model: string,
  overrides: Readonly<Record<string, ModelOverride>> = {},
): ModelInfo {
  const override = overrides[`${provider}/${model}`];
  const builtIn = findBuiltIn(provider, model);
  if (!override) return builtIn;
  return { ...builtIn, ...override, known: true };
}

/** What the request asked for that changes its price. */
export interface PriceTerms {
  readonly serviceTier?: ServiceTier;
  readonly cacheTtl?: CacheTtl;
}

/**
 * Prices of service tiers, relative to the usual ones. OpenAI's flex costs half. Its priority costs 1.7 to 2.5 times as
 * much, by model; the highest is assumed, because a cost that is too low would pass a budget.
 */
const TIER_FACTORS: Readonly<Partial<Record<ServiceTier, number>>> = { flex: 0.5, priority: 2.5 };

/** Anthropic: a cache entry costs twice the input price if it lives for an hour, 1.25 times if for five minutes. */
const HOUR_FACTOR = 2 / 1.25;

/** The cost of a call in USD, or null without prices. */
export function costUsd(
  info: Pick<ModelInfo, 'prices' | 'longPrompt'>,
  usage: Usage,
  { serviceTier = 'auto', cacheTtl }: PriceTerms = {},
): number | null {
  const { longPrompt } = info;
  const prices = longPrompt && usage.input > longPrompt.aboveTokens ? longPrompt.prices : info.prices;
  if (!prices) return null;
  const plain = Math.max(0, usage.input - usage.cacheRead - usage.cacheWrite);
  const micro =
    plain * prices.input +
    usage.cacheRead * prices.cacheRead +
    usage.cacheWrite * prices.cacheWrite * (cacheTtl === '1h' ? HOUR_FACTOR : 1) +
    usage.output * prices.output;
  return (micro * (TIER_FACTORS[serviceTier] ?? 1)) / 1_000_000;
}

/** The maximum cost of a call in USD, for reservations: each input token at its highest price, and a full-length answer. */
export function maxCostUsd(
  info: ModelInfo,
  inputTokens: number,
  maxTokens: number,
  terms: PriceTerms = {},
): number | null {
  const written = { input: inputTokens, output: maxTokens, cacheRead: 0, cacheWrite: inputTokens, reasoning: 0 };
  const dearest = costUsd(info, written, terms);
  const plain = costUsd(info, { ...written, cacheWrite: 0 }, terms);
  return dearest === null || plain === null ? null : Math.max(dearest, plain);
}

function findBuiltIn(provider: string, model: string): ModelInfo {
  const { byVendor, byName } = catalogue();
  const names = [model, model.replace(/-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, '')];
  for (const name of names) {
    const own = byVendor.get(`${provider}/${name}`);
    if (own) return own;
  }
  // `anthropic/claude-sonnet-4.5` at a gateway is `claude-sonnet-4-5` at Anthropic.
  const bare = names.map((name) => name.slice(name.lastIndexOf('/') + 1));
  for (const name of [...names, ...bare, ...bare.map((each) => each.replaceAll('.', '-'))]) {
    const foreign = byName.get(name);
    if (foreign) return { ...foreign, ...AT_THE_VENDOR_ONLY };
  }
  return UNKNOWN;
}

/** Vendors whose models with images read PDF files too. */
const READS_DOCUMENTS: ReadonlySet<string> = new Set(['anthropic', 'openai']);

function readCatalogue(): Indexed {
  const file = JSON.parse(readFileSync(new URL('./models.json', import.meta.url), 'utf8')) as CatalogueFile;
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
    byName: new Map(entries.toReversed().map(({ model, info }) => [model, info])),
  };
}
