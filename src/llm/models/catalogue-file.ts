import { readFileSync } from 'node:fs';

/** models.json. `Entry` is what a model says about itself; it leaves out what is as for most models. */
export interface CatalogueFile<Entry> {
  /** The day on which its numbers were checked, ISO date. */
  readonly checked: string;
  /** What all models of a vendor have in common, where a model says nothing else. */
  readonly defaults: Readonly<Record<string, Entry>>;
  /** Start of a name → the model whose abilities a new name with this start gets. */
  readonly families: Readonly<Record<string, string>>;
  readonly vendors: Readonly<Record<string, Readonly<Record<string, Entry>>>>;
}

/** Reads the file that is shipped with animus; a test holds it to its schema. */
export function readCatalogueFile<Entry>(): CatalogueFile<Entry> {
  return JSON.parse(readFileSync(new URL('./models.json', import.meta.url), 'utf8')) as CatalogueFile<Entry>;
}
