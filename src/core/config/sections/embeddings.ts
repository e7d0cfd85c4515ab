/** `[embeddings]`: the model that turns memories into vectors. */
import type { z } from 'zod';
import { didYouMean } from '../../errors/suggest.ts';
import { count, flag, providerName, table, text } from '../../toml/fields.ts';
import { key, type Settings, settingsOf } from '../../toml/keys.ts';
import type { HttpProviderKind, ProviderConfig } from '../providers/provider.ts';
import { reportConflict, type Section, type SectionPlace } from '../source/section.ts';

/** Kinds of providers that have embeddings. */
const EMBEDDING_KINDS = ['openai', 'azure', 'ollama'] as const satisfies readonly HttpProviderKind[];
export type EmbeddingKind = (typeof EMBEDDING_KINDS)[number];

// biome-ignore format: a key per line
const keys = {
  provider: key(providerName(), 'the provider whose model turns memories into vectors, of kind `openai`, `azure` or `ollama` ([models.md](models.md#embeddings)); without this table, memories are searched by their words alone'),
  model: key(text("the provider's name of a model"), 'the model, without the name of its provider; for `azure` the name of the deployment'),
  // More cannot be indexed by pgvector.
  dimensions: key(count(1, 2000), 'the length of its vectors; a vector of another length is refused'),
  batch_size: key(count(1, 2048).default(96), 'texts per request; some servers accept no more than 10 or 32'),
  request_dimensions: key(flag().optional(), 'whether requests ask for that length, which many servers refuse; none: only for a model of the catalogue that can make shorter vectors'),
};
const schema = table(keys);

export type EmbeddingsConfig = Settings<typeof keys>;

/** Null: memories are searched by their words alone. */
export const embeddings = {
  name: 'embeddings',
  schema: schema.optional(),
  whole: true,
  read: (written) => (written === undefined ? null : settingsOf(schema, written)),
  shown: (value) => ({ request_dimensions: value && String(value.requestDimensions ?? 'as the model needs') }),
} as const satisfies Section<'embeddings', z.ZodOptional<typeof schema>, EmbeddingsConfig | null>;

/** The provider must exist, and have embeddings. */
export function checkEmbeddings(
  value: EmbeddingsConfig | null,
  providers: ReadonlyMap<string, ProviderConfig>,
  place: SectionPlace,
): void {
  if (value === null) return;
  const { provider: name } = value;
  const provider = providers.get(name);
  const refuse = (detail: string) => reportConflict(place, ['embeddings', 'provider'], detail);
  if (provider === undefined) {
    // A provider with problems of its own counts as known.
    if (place.document.written('providers', name) !== undefined) return;
    const known = [...providers.keys()];
    refuse(`no provider named ${name}${didYouMean(name, known) || ` (known: ${known.join(', ')})`}`);
  } else if (!(EMBEDDING_KINDS as readonly string[]).includes(provider.kind)) {
    const kinds = EMBEDDING_KINDS.map((kind) => `"${kind}"`).join(', ');
    refuse(`provider ${name} of kind "${provider.kind}" has no embeddings; use one of kind ${kinds}`);
  }
}
