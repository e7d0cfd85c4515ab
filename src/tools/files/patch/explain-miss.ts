/** Explains why a text was not found, and shows the most similar place. */
const MAX_LINES_COMPARED = 20_000;
const MAX_LINE_CHARS = 300;
const MAX_LINES_SHOWN = 12;
/** Two lines with a smaller share of common letter pairs are not similar. */
const SIMILAR = 0.5;

/** A message for the model. The text must not occur in the file. */
export function explainMiss(text: string, searched: string): string {
  if (text === '') return 'old_string was not found: the file is empty';
  const place = nearestPlace(text, searched);
  if (place === null) return `old_string was not found, and nothing similar${hint(searched)}. Read the file again`;
  return `old_string was not found${hint(searched)}. ${place}`;
}

/** The place most similar to a text that was not found, with line numbers; null if nothing is similar. */
export function nearestPlace(text: string, searched: string): string | null {
  const lines = text.split('\n');
  const wanted = searched.split('\n');
  const start = nearestLine(lines, wanted);
  if (start === null) return null;
  const place = lines.slice(start, start + wanted.length);
  const shown = place.slice(0, MAX_LINES_SHOWN).map((line, i) => `${start + i + 1}\t${shorten(line)}`);
  const why =
    squeeze(place.join('\n')) === squeeze(searched) ? 'It differs in white space only' : 'The most similar place';
  return `${why}, at line ${start + 1}:\n${shown.join('\n')}`;
}

/** The start of the searched lines, aligned at the best match of their most distinctive line. */
function nearestLine(lines: readonly string[], wanted: readonly string[]): number | null {
  const anchor = wanted.reduce(
    (best, line, i) => (line.trim().length > (wanted[best]?.trim().length ?? 0) ? i : best),
    0,
  );
  const wantedLine = squeeze(wanted[anchor] ?? '').slice(0, MAX_LINE_CHARS);
  const wantedPairs = pairsOf(wantedLine);
  let best = { score: SIMILAR, line: -1 };
  for (const [line, text] of lines.slice(0, MAX_LINES_COMPARED).entries()) {
    const candidate = squeeze(text).slice(0, MAX_LINE_CHARS);
    const score = candidate === wantedLine ? 1 : likeness(wantedPairs, candidate);
    if (score > best.score) best = { score, line };
  }
  return best.line < 0 ? null : Math.max(0, best.line - anchor);
}

/** Dice's coefficient over pairs of letters: 0 nothing in common, 1 all. */
function likeness(pairs: ReadonlyMap<string, number>, other: string): number {
  const otherPairs = pairsOf(other);
  let common = 0;
  for (const [pair, count] of otherPairs) common += Math.min(count, pairs.get(pair) ?? 0);
  const total = sum(pairs) + sum(otherPairs);
  return total === 0 ? 0 : (2 * common) / total;
}

function pairsOf(text: string): ReadonlyMap<string, number> {
  const pairs = new Map<string, number>();
  for (let i = 0; i + 1 < text.length; i++) {
    const pair = text.slice(i, i + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

function sum(pairs: ReadonlyMap<string, number>): number {
  return [...pairs.values()].reduce((total, count) => total + count, 0);
}

function hint(searched: string): string {
  return /^[ \t]*\d+\t/m.test(searched) ? ' (it seems to contain the line numbers of read_file; leave them out)' : '';
}

function squeeze(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function shorten(line: string): string {
  return line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS).toWellFormed()}…` : line;
}
