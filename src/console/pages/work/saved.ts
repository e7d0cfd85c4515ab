/** Filters that the person has named, kept in this browser. */

export interface SavedFilter {
  readonly name: string;
  /** As in the address. */
  readonly query: string;
}

const KEY = 'animus.work.filters';
const MOST = 50;
const MOST_CHARS = 2000;

/** What is kept may be of another version, or changed by hand: what is no filter is left out. */
export function readSaved(text: string | null): readonly SavedFilter[] {
  let kept: unknown;
  try {
    kept = JSON.parse(text ?? '[]');
  } catch {
    return [];
  }
  if (!Array.isArray(kept)) return [];
  return kept.filter(isSaved).slice(0, MOST);
}

function isSaved(one: unknown): one is SavedFilter {
  if (typeof one !== 'object' || one === null) return false;
  const { name, query } = one as Partial<Record<string, unknown>>;
  return typeof name === 'string' && typeof query === 'string' && name !== '' && query.length <= MOST_CHARS;
}

/** Replaces one of the same name. */
export function withFilter(all: readonly SavedFilter[], added: SavedFilter): readonly SavedFilter[] {
  return [...all.filter(({ name }) => name !== added.name), added].slice(-MOST);
}

export function loadSaved(): readonly SavedFilter[] {
  return readSaved(localStorage.getItem(KEY));
}

export function storeSaved(all: readonly SavedFilter[]): void {
  localStorage.setItem(KEY, JSON.stringify(all));
}
