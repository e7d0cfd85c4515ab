import { escaped, ID, type StandIns } from './stand-ins.ts';

/** What may differ wherever it stands, and what is meant by it: text, times, durations, versions. */
const VARYING: readonly (readonly [shown: string, meant: string])[] = [
  ['…', '.*'],
  alike(String.raw`\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z| UTC)?`),
  [
    String.raw`\b\d+(?:\.\d+)? (?:ms|s|min|h|d)\b`,
    String.raw`\d+(?:\.\d+)? (?:ms|s|min|h|d)\b(?: \d+ (?:ms|s|min|h)\b)?`,
  ],
  // Not a part of an address.
  alike(String.raw`\b(?<![\d.])\d+\.\d+\.\d+(?!\.?\d)`),
];
const PARTS = new RegExp(`(${[ID, ...VARYING.map(([shown]) => shown)].join('|')})`);

/**
 * True if an output is what the page shows: the same lines, where `…` stands for anything within a line, and alone for any number of
 * lines. White space, times, durations and versions may differ. An id that is new stands for the one in its place from then on;
 * one that is known must be the same. If the page shows nothing, any output matches.
 */
export function matchesShown(output: string, shown: readonly string[], standIns: StandIns): boolean {
  if (shown.length === 0) return true;
  const learned = new Map<string, string>();
  const pattern = shown.map((line) => (line === '…' ? '(?:.*\\n)*?' : `${lineOf(bare(line))}\\n`)).join('');
  const found = new RegExp(`^${pattern}$`).exec(`${output.split('\n').map(bare).join('\n').trim()}\n`);
  if (!found) return false;
  for (const [id, group] of learned) {
    const [head, tail] = [found.groups![`${group}_head`] ?? '', found.groups![`${group}_tail`]!];
    standIns.set(id, head + tail);
  }
  return true;

  function lineOf(line: string): string {
    return line
      .split(PARTS)
      .map((part, index) => (index % 2 === 0 ? escaped(standIns.here(part)) : meant(part)))
      .join('');
  }

  function meant(part: string): string {
    const known = standIns.of(part);
    if (known !== null) return escaped(known);
    if (!new RegExp(`^${ID}$`).test(part)) return VARYING.find(([each]) => new RegExp(`^(?:${each})$`).test(part))![1];
    const group = `id${part.slice(-12)}`;
    const head = part.length > 12 ? `(?<${group}_head>[0-9a-f-]{24})` : '';
    const earlier = [...learned.values()].includes(group);
    if (earlier) return `${part.length > 12 ? '[0-9a-f-]{24}' : ''}\\k<${group}_tail>`;
    learned.set(part, group);
    return `${head}(?<${group}_tail>[0-9a-f]{12})`;
  }
}

function alike(pattern: string): readonly [string, string] {
  return [pattern, pattern];
}

function bare(line: string): string {
  return line.replace(/ +/g, ' ').trim();
}
