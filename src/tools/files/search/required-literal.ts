/** Finds a text that every match of a regular expression contains, so that a fast search can skip most files. */

const MIN_LENGTH = 3;
/** Escapes of one letter that stand for other characters, or for a place between them; operands of the others are not followed. */
const SIMPLE_ESCAPE = /[dDwWsSbBnrtvf]/;
const QUANTIFIER = /^\{\d+(?:,\d*)?\}/;

/**
 * The longest run of at least three ASCII characters that every match of a valid JavaScript pattern (without flags u and
 * v) contains; null if none is certain. Syntax that is not understood here counts as unknown.
 */
export function requiredLiteral(pattern: string): string | null {
  const runs: string[] = [];
  let run = '';
  const end = () => {
    runs.push(run);
    run = '';
  };
  for (let at = 0; at < pattern.length; ) {
    const char = pattern[at]!;
    if (char === '|') return null;
    if (char === '(' || char === '[') {
      end();
      const after = char === '[' ? afterClass(pattern, at) : afterGroup(pattern, at);
      if (after === null) return null;
      at = after;
    } else if (char === '*' || char === '?' || char === '{') {
      // The repeated part may be missing. `{` without a count is a character, but is not relied on.
      run = run.slice(0, -1);
      end();
      at += QUANTIFIER.exec(pattern.slice(at))?.[0].length ?? 1;
    } else if (char === '\\') {
      const next = pattern[at + 1] ?? '';
      if (/[A-Za-z0-9]/.test(next) || next === '') {
        if (!SIMPLE_ESCAPE.test(next)) return null;
        end();
      } else if (isPlain(next)) run += next;
      else end();
      at += 2;
    } else {
      if (isPlain(char) && !'.^$+)]}'.includes(char)) run += char;
      else end();
      at++;
    }
  }
  end();
  const longest = runs.reduce((best, each) => (each.length > best.length ? each : best), '');
  return longest.length >= MIN_LENGTH ? longest : null;
}

/** Printable ASCII: the same byte in every encoding, even in a file with a broken one. */
function isPlain(char: string): boolean {
  return char >= ' ' && char <= '~';
}

function afterClass(pattern: string, open: number): number | null {
  for (let at = open + 1; at < pattern.length; at++) {
    if (pattern[at] === '\\') at++;
    else if (pattern[at] === ']') return at + 1;
  }
  return null;
}

/** Skips a group: it may be optional or a lookahead, so nothing inside is relied on. */
function afterGroup(pattern: string, open: number): number | null {
  for (let at = open + 1; at < pattern.length; ) {
    const char = pattern[at]!;
    if (char === ')') return at + 1;
    if (char === '\\') at += 2;
    else if (char === '[' || char === '(') {
      const after = char === '[' ? afterClass(pattern, at) : afterGroup(pattern, at);
      if (after === null) return null;
      at = after;
    } else at++;
  }
  return null;
}
