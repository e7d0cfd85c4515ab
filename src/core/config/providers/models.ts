/** `[models."provider/model"]`: additions to the built-in catalogue of models, and overrides. */
import type { z } from 'zod';
import {
  count,
  flag,
  listOf,
  matching,
  oneOf,
  requestFields,
  requestHeaders,
  table,
  tableOf,
  usdPerMillion,
} from '../../toml/fields.ts';
import { type GivenSettings, givenSettings, key } from '../../toml/keys.ts';
import { reportConflict, type Section, type SectionPlace } from '../source/section.ts';
import { CACHE_TTLS, EFFORTS, SERVICE_TIERS, STRUCTURED_OUTPUTS } from './model-words.ts';
import { hasWires, ONE_WIRE, type ProviderConfig, WIRE_CHOICES } from './provider.ts';
import { checkAdditions, lowerCased } from './provider-access.ts';

/** How a model thinks; `ModelInfo` in src/llm/models says what each word means. */
const THINKING = ['none', 'budget', 'adaptive', 'bound', 'always'] as const;

const tokens = () => count(1, 100_000_000);

// biome-ignore format: a key per line
const keys = {
  context_window: key(tokens().optional(), 'tokens of prompt and answer together; none: from the built-in catalogue'),
  max_output: key(tokens().optional(), 'maximum tokens of one answer; none: from the catalogue'),
  wire: key(oneOf(WIRE_CHOICES).optional(), 'the wire format of this model, at a provider of kind `openai` or `azure`; none: that of its provider'),
  structured_outputs: key(oneOf(STRUCTURED_OUTPUTS).optional(), 'how the model can be [held to the outcome_schema](models.md#answers-held-to-a-schema) of a faculty; none: from the catalogue'),
  like: key(matching(/^[a-z0-9]+\/\S+$/, 'a model of the catalogue, "vendor/model"').optional(), 'a name of your own (a deployment, an alias): the model that it refers to, with its prices'),
  images: key(flag().optional(), 'sees images; none: from the catalogue'),
  documents: key(flag().optional(), 'reads PDF files; none: from the catalogue'),
  thinking: key(oneOf(THINKING).optional(), 'how it thinks ([models.md](models.md#abilities)); none: from the catalogue'),
  effort: key(flag().optional(), 'accepts a reasoning effort; none: from the catalogue'),
  efforts: key(listOf(EFFORTS).optional(), 'the levels of `effort` that it accepts; none: from the catalogue'),
  effort_with_tools: key(flag().optional(), 'accepts an effort together with tools; none: from the catalogue'),
  parallel_tools: key(flag().optional(), 'accepts the field `parallel_tool_calls`; none: from the catalogue'),
  user_after_tools: key(flag().optional(), 'accepts a user message right after tool results; none: from the catalogue'),
  temperature: key(flag().optional(), 'accepts a temperature; none: from the catalogue'),
  strict_tools: key(flag().optional(), 'holds inputs of tools to their schemas; none: from the catalogue'),
  service_tiers: key(listOf(SERVICE_TIERS).optional(), 'the classes of service that can be asked for; none: from the catalogue'),
  cache_ttls: key(listOf(CACHE_TTLS).optional(), 'the cache lifetimes that can be asked for; none: from the catalogue'),
  headers: key(requestHeaders().optional(), 'a header of every request to this model'),
  options: key(requestFields().optional(), 'a field that is added to the body of every request to this model'),
  usd_per_million: table({
    input: key(usdPerMillion(), 'price of a prompt token not read from a cache'),
    output: key(usdPerMillion(), 'price of a generated token'),
    cache_read: key(usdPerMillion().optional(), 'price of a token read from the cache; none: same as `input`'),
    cache_write: key(usdPerMillion().optional(), 'price of a token written to the cache; none: same as `input`'),
  }).optional(),
};
const modelTable = table(keys);
const modelName = matching(/^[a-z0-9][a-z0-9_-]{0,62}\/\S+$/, 'of the form "provider/model"');

/** What animus.toml sets for a model. Headers are by lower-case name. */
export type ModelConfig = GivenSettings<typeof keys>;

/** By `provider/model`. */
export const models = {
  name: 'models',
  schema: tableOf(modelName, modelTable).prefault({}),
  read: (written): ReadonlyMap<string, ModelConfig> =>
    new Map(Object.entries(written).map(([name, each]) => [name, modelOf(each)])),
} as const satisfies Section<
  'models',
  z.ZodType<Readonly<Record<string, z.output<typeof modelTable>>>>,
  ReadonlyMap<string, ModelConfig>
>;

function modelOf(written: z.output<typeof modelTable>): ModelConfig {
  const given = givenSettings(modelTable, written);
  return given.headers === undefined
    ? given
    : Object.freeze({ ...given, headers: Object.freeze(lowerCased(given.headers)) });
}

/** The provider of each model must exist, and speak the wire format that the model names. */
export function checkModels(
  found: ReadonlyMap<string, ModelConfig>,
  providers: ReadonlyMap<string, ProviderConfig>,
  place: SectionPlace,
): void {
  for (const [name, model] of found) {
    const refuse = (detail: string, ...path: string[]) => reportConflict(place, ['models', name, ...path], detail);
    const provider = name.slice(0, name.indexOf('/'));
    const kind = providers.get(provider)?.kind;
    if (model.wire !== undefined && kind !== undefined && !hasWires(kind)) refuse(ONE_WIRE(kind), 'wire');
    checkAdditions(model, (setting, detail) => refuse(detail, setting));
    if (/\*./.test(name)) refuse('* is allowed only at the end, and matches all names with this prefix');
    // A provider with problems of its own counts as known.
    if (providers.has(provider) || place.document.written('providers', provider) !== undefined) continue;
    refuse(`no provider named ${provider}; the providers are ${[...providers.keys()].join(', ')}`);
  }
}
