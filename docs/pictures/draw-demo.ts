/**
 * Draws the picture of the README from a real run of `animus demo`: `npm run picture`. The terminal is this process: its output is
 * gathered with its colours and written as two SVG files, for light and dark pages.
 */
import { writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { runCli } from '../../src/cli/program.ts';
import { systemClock } from '../../src/core/lifecycle/clock.ts';
import { createInterrupts } from '../../src/core/lifecycle/interrupts.ts';

const COLUMNS = 100;
const LINE_HEIGHT = 18;
const CHARACTER_WIDTH = 7.83;
const PADDING = 16;

/** SGR code → class of the text. */
const CLASSES: Readonly<Record<string, string>> = {
  1: 'bold',
  2: 'dim',
  31: 'red',
  32: 'green',
  33: 'yellow',
  36: 'cyan',
};

const THEMES = {
  light: {
    background: '#ffffff',
    border: '#d0d7de',
    plain: '#1f2328',
    dim: '#6e7781',
    red: '#cf222e',
    green: '#116329',
    yellow: '#7d4e00',
    cyan: '#0550ae',
  },
  dark: {
    background: '#0d1117',
    border: '#30363d',
    plain: '#e6edf3',
    dim: '#8b949e',
    red: '#ff7b72',
    green: '#56d364',
    yellow: '#e3b341',
    cyan: '#79c0ff',
  },
} as const;

/** Everything that the demo prints on a terminal of this width. */
async function runDemo(): Promise<string> {
  let printed = '';
  const stdout = { isTTY: true, columns: COLUMNS, rows: 60, write: (text: string) => (printed += text) };
  const code = await runCli(['demo'], {
    env: { HOME: process.env['HOME'], PATH: process.env['PATH'], npm_command: 'exec' },
    cwd: process.cwd(),
    stdin: Readable.from(['']),
    stdout,
    stderr: { write: () => true },
    signals: createInterrupts(systemClock),
  });
  if (code !== 0) throw new Error(`the demo ended with ${code}:\n${printed}`);
  return printed;
}

interface Piece {
  readonly text: string;
  readonly kind: string;
}

/** The lines, each in pieces of one colour; ids and directories of this run are shortened. */
function linesOf(printed: string): Piece[][] {
  const steady = printed.replaceAll(/\/\S*animus-demo-\w+/g, '…').trimEnd();
  return steady.split('\n').flatMap((line) => {
    const pieces: Piece[] = [];
    let kind = 'plain';
    for (const [index, part] of line.split(/\u001b\[(\d*)m/).entries()) {
      if (index % 2 === 1) kind = CLASSES[part] ?? 'plain';
      else if (part !== '') pieces.push({ text: part, kind });
    }
    return wrap(pieces);
  });
}

/** Breaks a line that a terminal would break: the answers that are printed while they come. */
function wrap(pieces: readonly Piece[]): Piece[][] {
  const lines: Piece[][] = [[]];
  let left = COLUMNS;
  for (const { text, kind } of pieces) {
    for (let rest = text; rest !== ''; ) {
      if (left === 0) {
        lines.push([]);
        left = COLUMNS;
      }
      const space = rest.lastIndexOf(' ', left);
      const taken = rest.length <= left ? rest.length : space > 0 ? space + 1 : left;
      lines.at(-1)!.push({ text: rest.slice(0, taken), kind });
      left = rest.length <= left ? left - taken : 0;
      rest = rest.slice(taken);
    }
  }
  return lines;
}

function svg(lines: readonly (readonly Piece[])[], theme: (typeof THEMES)[keyof typeof THEMES]): string {
  const width = Math.ceil(COLUMNS * CHARACTER_WIDTH) + 2 * PADDING;
  const height = lines.length * LINE_HEIGHT + 2 * PADDING;
  const styles = Object.entries(theme)
    .filter(([name]) => name !== 'background' && name !== 'border')
    .map(([name, colour]) => `.${name}{fill:${colour}}`)
    .join('');
  const rows = lines.map((pieces, index) => {
    const y = PADDING + (index + 0.75) * LINE_HEIGHT;
    const spans = pieces.map(({ text, kind }) => `<tspan class="${kind}">${escape(text)}</tspan>`).join('');
    return `<text xml:space="preserve" x="${PADDING}" y="${y}" class="plain">${spans}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="A run of animus demo in a terminal">
<style>text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre}.bold{fill:${theme.plain};font-weight:bold}${styles}</style>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="${theme.background}" stroke="${theme.border}"/>
${rows.join('\n')}
</svg>
`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

const lines = linesOf(await runDemo());
for (const [name, theme] of Object.entries(THEMES)) {
  writeFileSync(new URL(`./demo-${name}.svg`, import.meta.url), svg(lines, theme));
}
process.exit(0);
