// What the launcher answers itself, without the Node and the modules of the other commands: the version and the help. Plain JavaScript for
// any Node from 16 on, like the launcher. `npm run help` writes help.json, and a test holds every text to commander's at every width.
import { readFileSync } from 'node:fs';

const HELP = new Set(['--help', '-h']);
const VERSION = new Set(['--version', '-V']);

/**
 * The answer to a command line (without `animus`), or null where the program has to answer.
 * @param {readonly string[]} argv
 * @param {{ readonly columns: number, readonly version: () => string }} given `columns` of the terminal
 * @returns {string | null}
 */
export function quickAnswer(argv, { columns, version }) {
  const [only = '--help'] = argv;
  if (argv.length <= 1 && VERSION.has(only)) return `animus ${version()}\n`;
  const last = argv.length === 0 ? only : String(argv[argv.length - 1]);
  if (!HELP.has(last)) return null;
  const help = readHelp()[argv.slice(0, -1).join(' ')];
  return help === undefined ? null : layOut(help, columns) + help.after;
}

/**
 * The help of a command at infinite width. `hang` is the column at which the descriptions of options begin; `after` is never wrapped.
 * @typedef {{ readonly text: string, readonly hang: number, readonly after: string }} Help
 */

/** @returns {Readonly<Record<string, Help>>} by the names of the commands, `work submit` */
function readHelp() {
  return JSON.parse(readFileSync(new URL('help.json', import.meta.url), 'utf8'));
}

/** Nothing is wrapped into fewer columns; program.ts has the same number. */
const MIN_COLUMNS = 20;

/**
 * @param {Help} help
 * @param {number} columns
 */
function layOut({ text, hang }, columns) {
  const [usage = '', ...lines] = text.split('\n');
  const laidOut = lines.map((line) => (line.startsWith('  ') ? wrap(line, columns, hang) : wrap(line, columns, 0)));
  return [usage, ...laidOut].join('\n');
}

/**
 * Breaks what follows the first `hang` characters of a line between words, and indents the new lines by as much.
 * @param {string} line
 * @param {number} columns
 * @param {number} hang
 */
function wrap(line, columns, hang) {
  if (columns - hang < MIN_COLUMNS) return line;
  const lines = [''];
  for (const word of line.slice(hang).split(' ')) {
    const longer = lines[lines.length - 1] === '' ? word : `${lines[lines.length - 1]} ${word}`;
    if (longer.length <= columns - hang || longer === word) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return line.slice(0, hang) + lines.join(`\n${' '.repeat(hang)}`);
}
