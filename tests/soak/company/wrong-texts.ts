/** What must not be in anything that animus prints: bugs, numbers that are none, and times outside of the run. */

const DAY_MS = 86_400_000;
const BEGAN_MS = Date.now();
const WRONG = /\binternal\.\w+|internal error|\bNaN\b|Invalid Date|a bug in animus/g;
const TIME = /[+-]?\d{4,6}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d(:?\d\d)?)?/g;
/** A time of the style of the server. */
const GERMAN = /\b\d\d\.\d\d\.\d{4} \d\d:\d\d/g;

/** One sentence for each kind of it, with the words around. */
export function wrongTexts(where: string, text: string): string[] {
  const found = new Map<string, string>();
  const note = (what: string, index: number) => {
    if (!found.has(what))
      found.set(what, `${where} has "${what}": …${text.slice(Math.max(0, index - 300), index + 300)}…`);
  };
  for (const match of text.matchAll(WRONG)) note(match[0], match.index);
  for (const match of text.matchAll(GERMAN)) note(match[0], match.index);
  for (const match of text.matchAll(TIME)) {
    const ms = Date.parse(match[0].replace(' ', 'T'));
    if (!(ms > BEGAN_MS - DAY_MS && ms < Date.now() + DAY_MS)) note(match[0], match.index);
  }
  return [...found.values()];
}
