/** Reads a tutorial: the files to write, the commands to run, and the output they should print. */

export type TutorialStep =
  | { readonly kind: 'file'; readonly path: string; readonly text: string }
  | { readonly kind: 'command'; readonly command: string; readonly expected: readonly string[] };

const FENCE = /^```(\w*)\n([^]*?)^```$/gm;

/**
 * The steps of one section (from its heading to the next of the same level). A block of kind `console` contains commands after
 * `$ ` and their output. Any other block whose paragraph ends in a path in backticks and a colon is that file. The rest is only
 * for readers.
 */
export function tutorialSteps(page: string, heading: string): TutorialStep[] {
  const start = page.indexOf(`\n${heading}\n`);
  if (start < 0) throw new Error(`the page has no section ${heading}`);
  const rest = page.slice(start + heading.length + 2);
  // Blocks may contain lines that look like headings.
  const prose = rest.replaceAll(FENCE, (block) => ' '.repeat(block.length));
  const section = rest.slice(0, prose.search(/^## /m));
  return [...section.matchAll(FENCE)].flatMap((block): TutorialStep[] => {
    const [, language, text = ''] = block;
    if (language === 'console') return commandsOf(text);
    const path = /`([^`\n]+)`:\n\n$/.exec(section.slice(0, block.index))?.[1];
    return path === undefined ? [] : [{ kind: 'file', path, text }];
  });
}

function commandsOf(text: string): TutorialStep[] {
  const commands: { kind: 'command'; command: string; expected: string[] }[] = [];
  for (const line of text.trimEnd().split('\n')) {
    if (line.startsWith('$ ')) commands.push({ kind: 'command', command: line.slice(2), expected: [] });
    else commands.at(-1)!.expected.push(line);
  }
  return commands;
}

/** An id on the page, and the actual id of this run once it is known. Commands use the last 12 characters. */
export interface ShownId {
  readonly shown: string;
  actual: string | null;
}

/** Replaces the id in a command of the page with the id of this run. */
export function withActualId(command: string, { shown, actual }: ShownId): string {
  return actual === null ? command : command.replaceAll(shown.slice(-12), actual.slice(-12));
}

/**
 * True if an output matches the page: the same lines, where `…` stands for anything within a line, and alone for any number of
 * lines. White space and durations may differ. An unknown id is learned. If the page shows nothing, any output matches.
 */
export function matchesShown(output: string, expected: readonly string[], id: ShownId): boolean {
  if (expected.length === 0) return true;
  const pattern = expected.map((line) => (line === '…' ? '(?:.*\\n)*?' : `${linePattern(bare(line), id)}\\n`)).join('');
  const found = new RegExp(`^${pattern}$`).exec(`${output.split('\n').map(bare).join('\n').trimEnd()}\n`);
  if (found) id.actual ??= found.groups?.['id'] ?? null;
  return found !== null;
}

function linePattern(line: string, { shown, actual }: ShownId): string {
  const short = shown.slice(-12);
  const varying = new RegExp(`(…|${shown}|${short}|\\d+(?:\\.\\d+)? (?:ms|s)\\b)`);
  return line
    .split(varying)
    .map((part, index) => {
      if (index % 2 === 0) return part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
      if (part === '…') return '.*';
      if (part === shown) return actual ?? '(?<id>[0-9a-f-]{36})';
      return part === short ? (actual ?? shown).slice(-12) : '\\d+(?:\\.\\d+)? (?:ms|s)';
    })
    .join('');
}

function bare(line: string): string {
  return line.replace(/ +/g, ' ').trim();
}
