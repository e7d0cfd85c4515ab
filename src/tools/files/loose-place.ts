/** Finds the place that a text surely means, if it differs from the file only in blanks at the ends of lines or in indentation. Pure. */

/** A place in a text, and what to put there. `differs`: in what the text that was searched for differs from it. */
export interface LoosePlace {
  readonly from: number;
  readonly to: number;
  readonly replacement: string;
  readonly differs: 'blanks at the ends of lines' | 'indentation';
}

/** The only place of whole lines that fits; null if none or several do, or if it is unclear how to indent the replacement. */
export function loosePlace(text: string, old: string, replacement: string): LoosePlace | null {
  const wanted = withoutLastEnd(old).split('\n');
  if (wanted.every((line) => line.trim() === '')) return null;
  const lines = text.split('\n');
  const first = onlyPlace(lines, wanted);
  if (first === null) return null;
  const found = lines.slice(first, first + wanted.length);
  const from = lengthOf(lines, first);
  // A carriage return is a blank at the end, but not one to drop.
  const endsInCr = found.at(-1)!.endsWith('\r') && !wanted.at(-1)!.endsWith('\r');
  const to =
    from +
    found.join('\n').length -
    (endsInCr ? 1 : 0) +
    (old.endsWith('\n') && first + wanted.length < lines.length ? 1 : 0);
  if (found.every((line, nth) => indentOf(line) === indentOf(wanted[nth]!)))
    return { from, to, replacement, differs: 'blanks at the ends of lines' };
  const indents = indentsOf(wanted, found);
  const indented = indents === null ? null : reindent(replacement, indents);
  return indented === null ? null : { from, to, replacement: indented, differs: 'indentation' };
}

/** The index of the first line; null unless exactly one place fits. */
function onlyPlace(lines: readonly string[], wanted: readonly string[]): number | null {
  const trimmed = wanted.map((line) => line.trim());
  let found: number | null = null;
  for (let at = 0; at + trimmed.length <= lines.length; at++) {
    if (!trimmed.every((line, nth) => lines[at + nth]!.trim() === line)) continue;
    if (found !== null) return null;
    found = at;
  }
  return found;
}

/** How each indentation of the searched lines is written in the file; null if one is written in two ways. */
function indentsOf(wanted: readonly string[], found: readonly string[]): ReadonlyMap<string, string> | null {
  const indents = new Map<string, string>();
  for (const [nth, line] of wanted.entries()) {
    if (line.trim() === '') continue;
    const [asked, there] = [indentOf(line), indentOf(found[nth]!)];
    if (indents.has(asked) && indents.get(asked) !== there) return null;
    indents.set(asked, there);
  }
  return indents;
}

/** The text with its lines indented as the file does; null where a line is indented less than all that is known. */
function reindent(text: string, indents: ReadonlyMap<string, string>): string | null {
  const known = [...indents].toSorted(([a], [b]) => b.length - a.length);
  const lines = text.split('\n').map((line) => {
    if (line.trim() === '') return line;
    const indent = indentOf(line);
    // What is deeper than any searched line keeps the rest of its own indentation.
    const nearest = known.find(([asked]) => indent.startsWith(asked));
    return nearest === undefined ? null : nearest[1] + indent.slice(nearest[0].length) + line.slice(indent.length);
  });
  return lines.includes(null) ? null : lines.join('\n');
}

function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)![0];
}

function withoutLastEnd(text: string): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}

/** Characters before a line. */
function lengthOf(lines: readonly string[], before: number): number {
  return lines.slice(0, before).reduce((sum, line) => sum + line.length + 1, 0);
}
