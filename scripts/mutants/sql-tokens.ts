/** The tokens of SQL, with the bodies of functions among them. */

export interface Token {
  readonly kind: 'word' | 'number' | 'text' | 'sign';
  /** As written, and words in lower case. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** How many parentheses are open around it. An opening one counts itself as outside. */
  readonly depth: number;
  /** In the body of a function or a view, where statements are. */
  readonly inBody: boolean;
}

const PATTERN =
  /(?<space>\s+|--[^\n]*|\/\*[\s\S]*?\*\/)|(?<text>e?'(?:[^']|'')*'|"[^"]*")|(?<quote>\$\w*\$)|(?<word>[a-z_]\w*)|(?<number>\d+(?:\.\d+)?)|(?<sign>:=|::|<=|>=|<>|!=|->>|->|=>|\|\||[\s\S])/giy;

/** A dollar quote begins a body or ends it. Views are bodies from their `as` to the semicolon. */
export function sqlTokens(source: string): Token[] {
  const tokens: Token[] = [];
  let depth = 0;
  let quoted = false;
  let view: 'named' | 'body' | null = null;
  for (const match of source.matchAll(PATTERN)) {
    const { space, quote, word, number, text } = match.groups ?? {};
    if (space !== undefined) continue;
    if (quote !== undefined) {
      quoted = !quoted;
      depth = 0;
      continue;
    }
    const written = word?.toLowerCase() ?? match[0];
    if (written === ')') depth -= 1;
    const kind = word !== undefined ? 'word' : number !== undefined ? 'number' : text !== undefined ? 'text' : 'sign';
    tokens.push({
      kind,
      text: written,
      start: match.index,
      end: match.index + match[0].length,
      depth,
      inBody: quoted || view === 'body',
    });
    if (written === '(') depth += 1;
    if (quoted) continue;
    if (written === 'view' && tokens.at(-2)?.text !== 'drop') view = 'named';
    else if (written === 'as' && view === 'named') view = 'body';
    else if (written === ';') view = null;
  }
  return tokens;
}
