/**
 * Finds the line of each key of a TOML text, which the parser does not report. The text must be valid. Keys inside an
 * inline table are not listed (use the line of the table).
 */
export function keyLines(text: string): Map<string, number> {
  const lines = new Map<string, number>();
  let table: string[] = [];
  let open: OpenValue = { quote: null, depth: 0 };
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (open.quote !== null || open.depth > 0) {
      open = scanValue(line, open);
      continue;
    }
    const header = /^\s*\[\[?(.*?)\]\]?\s*(#.*)?$/.exec(line);
    if (header?.[1] !== undefined && !/^\s*\[[^\]]*=/.test(line)) {
      table = splitKey(header[1]).parts;
      note(lines, table, index + 1);
      continue;
    }
    const { parts, rest } = splitKey(line);
    if (!rest.startsWith('=')) continue;
    for (let depth = 1; depth <= parts.length; depth++) note(lines, [...table, ...parts.slice(0, depth)], index + 1);
    open = scanValue(rest.slice(1), { quote: null, depth: 0 });
  }
  return lines;
}

/** The key of the map for a path: its parts joined by a character that no part of a TOML key contains unescaped. */
export function pathKey(path: readonly PropertyKey[]): string {
  return path.map(String).join('\u0000');
}

/** The state of a value that continues on the next line: inside a multi-line string, or this many brackets deep. */
interface OpenValue {
  readonly quote: '"""' | "'''" | null;
  readonly depth: number;
}

function note(lines: Map<string, number>, path: readonly string[], line: number): void {
  const key = pathKey(path);
  if (!lines.has(key)) lines.set(key, line);
}

/** Splits `a."b.c".d = 1` into its parts and what follows them. */
function splitKey(text: string): { parts: string[]; rest: string } {
  const parts: string[] = [];
  let rest = text.trimStart();
  for (;;) {
    const match = /^(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([A-Za-z0-9_-]+))\s*/.exec(rest);
    if (!match) return { parts, rest };
    parts.push(match[1] === undefined ? (match[2] ?? match[3] ?? '') : unescapeKey(match[1]));
    rest = rest.slice(match[0].length);
    if (!rest.startsWith('.')) return { parts, rest };
    rest = rest.slice(1).trimStart();
  }
}

function unescapeKey(quoted: string): string {
  try {
    return String(JSON.parse(`"${quoted}"`));
  } catch {
    // TOML has escapes that JSON lacks (\e, \U…); such a key only loses its line number.
    return quoted;
  }
}

/** Follows strings, comments and brackets of (a part of) a value to the end of the line. */
function scanValue(line: string, open: OpenValue): OpenValue {
  let { quote, depth } = open;
  let position = 0;
  while (position < line.length) {
    if (quote !== null) {
      const end = endOfString(line, position, quote);
      if (end === -1) return { quote, depth };
      position = end;
      quote = null;
      continue;
    }
    const character = line[position];
    const triple = line.slice(position, position + 3);
    if (character === '#') break;
    if (triple === '"""' || triple === "'''") {
      quote = triple;
      position += 3;
    } else if (character === '"' || character === "'") {
      const end = endOfString(line, position + 1, character);
      position = end === -1 ? line.length : end;
    } else {
      if (character === '[' || character === '{') depth++;
      if (character === ']' || character === '}') depth--;
      position++;
    }
  }
  return { quote, depth };
}

/** The position after the closing quote, or -1 if the string continues. */
function endOfString(line: string, from: number, quote: string): number {
  for (let position = from; position < line.length; position++) {
    if (quote.startsWith('"') && line[position] === '\\') position++;
    else if (line.startsWith(quote, position)) return position + quote.length;
  }
  return -1;
}
