import { readFileSync } from 'node:fs';

/** models.json. `Entry` contains what differs from the defaults of the vendor. */
export interface CatalogueFile<Entry> {
  /** The defaults of a vendor, for models whose entry does not override them. */
  readonly defaults: Readonly<Record<string, Entry>>;
  /** Start of a name → the model whose abilities a new name with this start gets. */
  readonly families: Readonly<Record<string, string>>;
  readonly vendors: Readonly<Record<string, Readonly<Record<string, Entry>>>>;
  /** Models that make embeddings, by vendor. */
  readonly embeddings: Readonly<Record<string, Readonly<Record<string, EmbeddingEntry>>>>;
}

/** A model that makes embeddings. */
export interface EmbeddingEntry {
  readonly dimensions: number;
  readonly maxInputTokens: number;
  readonly shortens?: true;
}

/** Reads the file that is shipped with animus; a test holds it to its schema. */
export function readCatalogueFile<Entry>(): CatalogueFile<Entry> {
  return JSON.parse(readFileSync(new URL('./models.json', import.meta.url), 'utf8')) as CatalogueFile<Entry>;
}
