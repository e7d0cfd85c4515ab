/** Patterns over a text, in which `*` stands for any run of characters. */

/** In a text that is compared: a part of it that is only known later, for example when a shell expands a variable. It may be empty. */
export const UNKNOWN = '\0';

/**
 * How a pattern and a text fit: `yes`, whatever an unknown part turns out to be; `maybe`, if it depends on that; `no` otherwise.
 * In the pattern, `\*` is a star and `\\` a backslash. A pattern that ends with ` *` also fits the text without what follows.
 * Linear in the text for each part of the pattern; never backtracks.
 */
export function fit(pattern: string, text: string): 'yes' | 'maybe' | 'no' {
  const patterns = alternatives(pattern).map(partsOf);
  if (patterns.some((parts) => fits(parts, text))) return 'yes';
  return text.includes(UNKNOWN) && patterns.some((parts) => mayFit(parts, text)) ? 'maybe' : 'no';
}

/** True if every text that `narrow` fits is one that `wide` fits: a star of `narrow` is an ordinary character to `wide`, which only a star fits. */
export function covers(wide: string, narrow: string): boolean {
  const wides = alternatives(wide).map(partsOf);
  const narrows = alternatives(narrow).map((pattern) => partsOf(pattern).join(UNKNOWN));
  return narrows.every((text) => wides.some((parts) => fits(parts, text)));
}

/** The pattern without what ends it, where it ends with ` *`. */
function alternatives(pattern: string): readonly string[] {
  return pattern.endsWith(' *') && pattern.length > 2 ? [pattern, pattern.slice(0, -2)] : [pattern];
}

/** The literal parts between the stars; one part if there is no star. */
export function partsOf(pattern: string): readonly string[] {
  const parts = [''];
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at]!;
    const next = pattern[at + 1];
    if (character === '*') parts.push('');
    else if (character === '\\' && (next === '*' || next === '\\')) parts[parts.length - 1] += pattern[++at]!;
    else parts[parts.length - 1] += character;
  }
  return parts;
}

function fits(parts: readonly string[], text: string): boolean {
  const [first = '', ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

/** Whether some text in place of the unknown parts would make it fit: both are run at once, with every place of the pattern reached so far. */
function mayFit(parts: readonly string[], text: string): boolean {
  const tokens = parts.flatMap((part, index) => (index === 0 ? Array.from(part) : [null, ...Array.from(part)]));
  let reached = new Uint8Array(tokens.length + 1);
  reached[0] = 1;
  for (const character of text) {
    const next = new Uint8Array(tokens.length + 1);
    let any = false;
    for (let at = 0; at <= tokens.length; at++) {
      // A star may stand for nothing.
      if (at > 0 && tokens[at - 1] === null && reached[at - 1]) reached[at] = 1;
      if (reached[at]) {
        any = true;
        if (tokens[at] === null) next[at] = 1;
        else if (tokens[at] === character) next[at + 1] = 1;
      }
      if (character === UNKNOWN && any) next[at] = 1;
    }
    if (!any) return false;
    reached = next;
  }
  for (let at = 1; at <= tokens.length; at++) if (tokens[at - 1] === null && reached[at - 1]) reached[at] = 1;
  return reached[tokens.length] === 1;
}

/** Some file systems, and many servers, know neither case nor the ways to write one character. */
export function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
