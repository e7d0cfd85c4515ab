/** What is known of a model. */

import type { CacheTtl, Effort, ServiceTier, StructuredOutputs } from '../../core/config/providers/model-words.ts';
import type { WireChoice } from '../../core/config/providers/provider.ts';
import type { PriceChange, Prices, Rates } from './prices.ts';

/** The properties of a model. */
export interface ModelInfo {
  /** Tokens of prompt and answer together. Default 128,000. */
  readonly contextWindow: number;
  /** Tokens of one answer; null where unknown. */
  readonly maxOutput: number | null;
  /** Null if unknown; budgets in USD are then refused. */
  readonly prices: Prices | null;
  /** Other prices, for every token of a call whose prompt is longer. */
  readonly longPrompt: Rates['longPrompt'];
  /** Other prices at other times; `ratesAt` says which hold. */
  readonly priceChanges: readonly PriceChange[];
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

/** What is assumed of a model that nobody describes. */
export const UNKNOWN_MODEL: ModelInfo = {
  contextWindow: 128_000,
  maxOutput: null,
  prices: null,
  longPrompt: null,
  priceChanges: [],
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
