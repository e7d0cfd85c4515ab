/** The values of a model, and where each comes from. */
import type { Config } from '../../core/config/config.ts';
import { snakeCase } from '../../core/toml/keys.ts';
import { type LocatedModel, locateModel } from '../../llm/locate-model.ts';
import { modelSources } from '../../llm/models/models.ts';
import { wireOf } from '../../llm/wires.ts';
import { modelNames } from './model-names.ts';

/** A value, under the name that it has in animus.toml. */
export interface ModelValue {
  readonly key: string;
  readonly value: unknown;
  /** For people: `file:line`, the entry of the catalogue, or `default`. */
  readonly from: string;
}

/** A model with its values. */
export interface ModelWithValues {
  readonly located: LocatedModel;
  readonly values: readonly ModelValue[];
}

/** The values that calls to a model use, in the order of the catalogue's fields. Throws `llm.unknown_provider`. */
export function modelValues(written: string, config: Config): ModelWithValues {
  const names = modelNames(config);
  const located = locateModel(written, names);
  const { provider, model, kind, info } = located;
  const sources = modelSources(provider, model, names.models);
  const entry = sources.catalogue;
  const { known: _, wire, ...rest } = info;
  const fromFile = (field: string): string | null => {
    const name = sources.overrides.findLast((each) => names.models[each] && field in names.models[each]);
    if (name === undefined) return null;
    return config.origins.get(`models."${name}".${keyOf(field)}`) ?? `default of kind ${kind}`;
  };
  const fromCatalogue = (field: string, value: unknown): string => {
    if (entry === null || field === 'headers' || field === 'options') return 'default';
    const isPrice = field === 'prices' || field === 'longPrompt' || field === 'priceChanges';
    if (value === null && isPrice) return NO_PRICE[entry.by];
    if (isPrice && entry.priceSource !== '') return entry.priceSource;
    return `${SAID[entry.by]} ${entry.entry}`;
  };
  const values = Object.entries(rest).map(([field, value]) => ({
    key: keyOf(field),
    value: inSnakeCase(value),
    from: fromFile(field) ?? fromCatalogue(field, value),
  }));
  if (kind === 'scripted') return { located, values };
  const ofProvider = config.origins.get(`providers.${provider}.wire`);
  const isChosen = wire !== null && fromFile('wire') === null && ofProvider === undefined;
  const from = fromFile('wire') ?? ofProvider ?? (isChosen ? fromCatalogue('wire', wire) : `kind ${kind}`);
  return { located, values: [...values, { key: 'wire', value: wireOf(kind, wire, model), from }] };
}

const SAID = {
  own: 'catalogue:',
  elsewhere: 'catalogue, as at its vendor:',
  family: 'family of',
  like: 'like',
} as const;

const NO_PRICE = {
  own: 'the catalogue has none',
  elsewhere: 'none: this provider sets its own prices',
  family: 'none: a new model has its own prices',
  like: 'the catalogue has none',
} as const;

/** Fields of a model are named as in animus.toml, but for prices. */
function keyOf(field: string): string {
  return field === 'prices' ? 'usd_per_million' : snakeCase(field);
}

/** The fields of prices. Headers and options keep their names, which have no capitals or are the user's. */
function inSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inSnakeCase);
  if (typeof value !== 'object' || value === null || !('prices' in value || 'cacheRead' in value)) return value;
  return Object.fromEntries(Object.entries(value).map(([field, inner]) => [keyOf(field), inSnakeCase(inner)]));
}
