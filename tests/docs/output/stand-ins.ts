/** What a page shows in place of what this run has: ids, addresses and other text that differs from run to run. */

/** An id as animus prints it: whole, or its last digits. */
export const ID = String.raw`(?<![0-9a-z-])(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-)?[0-9a-f]{12}(?![0-9a-z-])`;

export interface StandIns {
  /** From now on `actual` is meant where the page says `shown`. Of an id, its last digits are meant, too. */
  set(shown: string, actual: string): void;
  /** What is meant by exactly this text; null: the text itself, as far as is known. */
  of(shown: string): string | null;
  /** What a text of the page says here. */
  here(text: string): string;
}

/** None yet. */
export function standIns(): StandIns {
  const known = new Map<string, string>();
  return {
    set(shown, actual) {
      known.set(shown, actual);
      if (isId(shown) && isId(actual)) known.set(shown.slice(-12), actual.slice(-12));
    },
    of: (shown) => known.get(shown) ?? null,
    here(text) {
      if (known.size === 0) return text;
      // The longest first: an id before its last digits.
      const all = [...known.keys()].toSorted((a, b) => b.length - a.length);
      const any = all.map((shown) => `(?<![A-Za-z0-9])${escaped(shown)}(?![A-Za-z0-9])`).join('|');
      return text.replace(new RegExp(any, 'g'), (shown) => known.get(shown)!);
    },
  };
}

function isId(text: string): boolean {
  return new RegExp(`^${ID}$`).test(text);
}

/** As a regular expression that matches only this text. */
export function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
