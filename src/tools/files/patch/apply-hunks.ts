/** Applies hunks to a text. Each is found by its context, in order, never guessed. Line endings of the file are kept. */
import { nearestPlace } from './explain-miss.ts';
import type { Hunk } from './patch-text.ts';

interface Line {
  readonly text: string;
  /** The line without trailing white space, which is ignored because models lose it. */
  readonly bare: string;
  /** `\n`, `\r\n`, or nothing on a last line without one. */
  readonly end: string;
}

/** The limit of lines compared for all hunks of a file: about a second. */
const MAX_LINES_SEARCHED = 20_000_000;

/** The text with all hunks applied, or the problem of the first hunk that does not apply. */
export function applyHunks(
  text: string,
  hunks: readonly Hunk[],
): { readonly text: string } | { readonly problem: string } {
  const bom = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const lines = linesOf(text.slice(bom.length));
  const usual = lines[0]?.end === '\r\n' ? '\r\n' : '\n';
  const searches = hunks.reduce((sum, { anchors }) => sum + 1 + anchors.length, 0);
  if (searches * lines.length > MAX_LINES_SEARCHED) {
    return { problem: `${hunks.length} hunks are too many for a file of ${lines.length} lines; use several patches` };
  }
  const result: Pick<Line, 'text' | 'end'>[] = [];
  let from = 0;
  for (const [index, hunk] of hunks.entries()) {
    const place = find(hunk, lines, from);
    if (typeof place === 'string') return { problem: `hunk ${index + 1} (line ${hunk.line} of the patch): ${place}` };
    result.push(...lines.slice(from, place));
    from = place;
    for (const { kind, text: wanted } of hunk.lines) {
      if (kind === 'add') result.push({ text: wanted, end: lines[from - 1]?.end || lines[from]?.end || usual });
      else if (kind === 'remove') from++;
      else result.push(lines[from++]!);
    }
  }
  result.push(...lines.slice(from));
  return { text: bom + join(result, usual, lines.length > 0 && lines.at(-1)!.end === '') };
}

function linesOf(text: string): readonly Line[] {
  const lines = [...text.matchAll(/([^\n]*?)(\r?\n|$)/gy)].map(([, line = '', end = '']) => {
    return { text: line, bare: line.trimEnd(), end };
  });
  // The last match is empty if the text is empty or ends in a newline.
  if (lines.at(-1)?.text === '' && lines.at(-1)?.end === '') lines.pop();
  return lines;
}

/** Joins the lines. A file without a final newline stays without it. */
function join(lines: readonly Pick<Line, 'text' | 'end'>[], usual: string, openEnd: boolean): string {
  return lines
    .map(({ text, end }, index) =>
      index < lines.length - 1 ? text + (end || usual) : text + (openEnd ? '' : end || usual),
    )
    .join('');
}

/** The line, counted from 0, at which the hunk starts, or why it is missing or ambiguous. */
function find(hunk: Hunk, lines: readonly Line[], from: number): number | string {
  const anchored = afterAnchors(hunk, lines, from);
  if (typeof anchored === 'string') return anchored;
  const wanted = hunk.lines.filter(({ kind }) => kind !== 'add').map(({ text }) => text.trimEnd());
  if (wanted.length === 0) {
    if (hunk.anchors.length > 0 && !hunk.atEnd) return anchored;
    if (hunk.atEnd || lines.length === 0) return lines.length;
    return 'it only adds lines, without a position: give unchanged lines around them, an @@ line, or *** End of File';
  }
  const starts = placesOf(wanted, lines, anchored).filter(
    (start) => !hunk.atEnd || start + wanted.length === lines.length,
  );
  if (starts.length === 1 || (starts.length > 1 && hunk.anchors.length > 0)) return starts[0]!;
  if (starts.length > 1) {
    const shown = starts.slice(0, 10).map((start) => start + 1);
    return `its lines occur ${starts.length} times, at lines ${shown.join(', ')}${starts.length > 10 ? ', …' : ''}; give more unchanged lines, or an @@ line with the function or class around them`;
  }
  return miss(wanted, lines, anchored, hunk.atEnd);
}

/** The line after the last anchor. */
function afterAnchors({ anchors }: Hunk, lines: readonly Line[], from: number): number | string {
  let at = from;
  for (const anchor of anchors) {
    const same = lines.findIndex(({ text }, index) => index >= at && text.trim() === anchor);
    const holding = lines.flatMap(({ text }, index) => (index >= at && text.includes(anchor) ? [index] : []));
    const found = same >= 0 ? same : holding.length === 1 ? holding[0]! : -1;
    if (found < 0) {
      const why = holding.length > 1 ? `${holding.length} lines contain it, but none equals it` : 'no such line';
      const where = at > 0 ? ` after line ${at}` : '';
      return `@@ ${anchor}: ${why}${where}. ${near(anchor, lines)}`;
    }
    at = found + 1;
  }
  return at;
}

/**
 * Finds the wanted lines from a line on, in time linear in the file (Knuth, Morris and Pratt), so that a thousand equal
 * lines cannot stall the daemon.
 */
function placesOf(wanted: readonly string[], lines: readonly Line[], from: number): number[] {
  // How many of the wanted lines still match after a mismatch that follows the first n.
  const fallback = [0];
  for (let at = 1, same = 0; at < wanted.length; at++) {
    while (same > 0 && wanted[at] !== wanted[same]) same = fallback[same - 1]!;
    if (wanted[at] === wanted[same]) same++;
    fallback.push(same);
  }
  const places: number[] = [];
  for (let at = from, same = 0; at < lines.length; at++) {
    while (same > 0 && lines[at]!.bare !== wanted[same]) same = fallback[same - 1]!;
    if (lines[at]!.bare === wanted[same]) same++;
    if (same === wanted.length) places.push(at + 1 - same);
  }
  return places;
}

function miss(wanted: readonly string[], lines: readonly Line[], from: number, atEnd: boolean): string {
  const [earlier] = placesOf(wanted, lines, 0);
  if (earlier !== undefined && earlier < from) {
    return `its lines are at line ${earlier + 1}, before the previous hunk or @@ line (line ${from}); hunks must be in the order of the file`;
  }
  if (earlier !== undefined && atEnd) return `its lines are at line ${earlier + 1}, not at the end of the file`;
  return `its lines were not found. ${near(wanted.join('\n'), lines)}`;
}

function near(wanted: string, lines: readonly Line[]): string {
  if (lines.length === 0) return 'The file is empty';
  return (
    nearestPlace(lines.map(({ text }) => text).join('\n'), wanted) ?? 'Nothing similar was found; read the file again'
  );
}
