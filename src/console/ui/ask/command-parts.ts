/** The commands that a command line runs, word by word, as bash reads it. */
import type { Command, Redirection, SyntaxNode, Word } from 'unbash';

/** `program`: the first word; `option`: begins with a dash; `set`: sets a variable. */
export interface CommandWord {
  readonly is: 'program' | 'option' | 'word' | 'set' | 'file';
  /** Without quotes, if it is the same whenever it runs; otherwise as it is written. */
  readonly text: string;
  /** It is only known when it runs: variables, substitutions, patterns of files. */
  readonly open: boolean;
}

export interface CommandPart {
  /** What stands before it in the line: `&&`, `|`, `;`, or the word that it is inside of. */
  readonly before: string;
  /** Inside how many other commands: substitutions, subshells, loops. */
  readonly depth: number;
  readonly words: readonly CommandWord[];
}

export interface CommandParts {
  readonly parts: readonly CommandPart[];
  /** Why the parts may not be all; null: they are. */
  readonly problem: 'long' | 'invalid' | null;
}

const MOST_CHARS = 20_000;
const MOST_HERE_DOCUMENTS = 50;
const MOST_PARTS = 100;
const MOST_DEPTH = 40;
const MOST_WORD_CHARS = 2000;

type Parser = typeof import('unbash');

/** The parser is loaded with the first command that is shown. */
export async function readCommand(line: string): Promise<CommandParts> {
  const parser = await import('unbash');
  return commandParts(parser, line);
}

export function commandParts(parser: Parser, line: string): CommandParts {
  if (line.length > MOST_CHARS || line.split('<<').length > MOST_HERE_DOCUMENTS) return { parts: [], problem: 'long' };
  const script = parser.parse(line);
  const found: { readonly command: Command; readonly depth: number }[] = [];
  let isLong = false;
  const visit = (node: SyntaxNode, nodes: number, depth: number): void => {
    if (nodes > MOST_DEPTH || found.length >= MOST_PARTS) {
      isLong = true;
      return;
    }
    if (node.type === 'Command') found.push({ command: node, depth });
    const within = depth + (WITHIN.has(node.type) ? 1 : 0);
    parser.forEachChild(node, (child) => visit(child, nodes + 1, within));
  };
  visit(script, 0, 0);
  const inOrder = found.toSorted((one, other) => one.command.pos - other.command.pos);
  const parts = inOrder.map(({ command, depth }, at) => ({
    before: before(line, command, inOrder[at - 1]?.command),
    depth,
    words: wordsOf(line, command),
  }));
  return { parts, problem: isLong ? 'long' : script.errors?.[0] === undefined ? null : 'invalid' };
}

const WITHIN: ReadonlySet<string> = new Set([
  'CommandExpansion',
  'ProcessSubstitution',
  'Subshell',
  'BraceGroup',
  'If',
  'For',
  'ArithmeticFor',
  'Select',
  'While',
  'Case',
  'Function',
  'Coproc',
]);

/** What is between the end of the command before and the beginning of this one. */
function before(line: string, { pos }: Command, last: Command | undefined): string {
  if (last === undefined) return line.slice(0, pos).trim();
  if (last.end <= pos) return line.slice(last.end, pos).trim();
  return /(?:[$<>]\(|`)$/.exec(line.slice(0, pos).trimEnd())?.[0] ?? '';
}

function wordsOf(line: string, { prefix, name, suffix }: Command): readonly CommandWord[] {
  const words: CommandWord[] = [];
  for (const each of prefix) words.push(argument(line, each));
  if (name !== undefined) words.push({ ...word(line, name), is: 'program' });
  for (const each of suffix) words.push(argument(line, each));
  return words;
}

function argument(line: string, node: Command['suffix'][number]): CommandWord {
  if (node.type === 'Word') return word(line, node);
  const text = bounded(line.slice(node.pos, node.end));
  if (node.type === 'Assignment') return { is: 'set', text, open: false };
  return redirection(line, node, text);
}

function redirection(line: string, node: Redirection, text: string): CommandWord {
  if (node.type === 'HereDoc') {
    const end = node.delimiter?.end ?? node.end;
    return { is: 'file', text: `${line.slice(node.pos, end)}\n${bounded(node.body.text)}`, open: false };
  }
  return { is: 'file', text, open: node.target !== undefined && isOpen(node.target) };
}

function word(line: string, node: Word): CommandWord {
  const open = isOpen(node);
  const text = bounded(open ? line.slice(node.pos, node.end) : node.value);
  return { is: text.startsWith('-') ? 'option' : 'word', text, open };
}

const KNOWN: ReadonlySet<string> = new Set(['Literal', 'SingleQuoted', 'AnsiCQuoted']);

function isOpen({ parts, text }: Word): boolean {
  if (parts === undefined) return text.startsWith('~');
  return parts.some((part) => {
    if (part.type === 'DoubleQuoted' || part.type === 'LocaleString')
      return part.parts.some((child) => child.type !== 'Literal');
    return !KNOWN.has(part.type);
  });
}

function bounded(text: string): string {
  return text.length <= MOST_WORD_CHARS ? text : `${text.slice(0, MOST_WORD_CHARS)}…`;
}
