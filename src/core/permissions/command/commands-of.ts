/** Finds every command that any part of a command line could run. */
import { createRequire } from 'node:module';
import type { Assignment, Command, SyntaxNode } from 'unbash';
import { UNKNOWN } from '../text/wildcard.ts';
import { COMMAND_VALUE, COMMAND_VARIABLE, programName, RENAMES } from './runners.ts';
import { startsOf } from './starts-of.ts';
import { argumentText, inputText, valueText, wordText } from './words.ts';

/** A command that the line could run. */
export interface FoundCommand {
  /** Its words, separated by single spaces; what is only known when it runs is `UNKNOWN`. At most 4,096 characters, then `UNKNOWN`. */
  readonly text: string;
  /** True: it stands in a text that is usually data, such as quotes, and would only run if something evaluates that text. */
  readonly remote: boolean;
}

/** What a command line could run. */
export interface FoundCommands {
  readonly commands: readonly FoundCommand[];
  /** Why other commands than these could run, for people; null if none could. */
  readonly unclear: string | null;
}

/** Longer commands are compared by their beginning. */
const MAX_TEXT = 4096;
/** The longest line that is read: no system starts a longer one. */
const MAX_LINE = 131_072;
/** Characters that are parsed and compared for one line, nested texts included. */
const MAX_WORK = 2_000_000;
/** Here-documents in one line. Many that do not end take time in proportion to the square of their number. */
const MAX_HERE_DOCUMENTS = 200;
/** Command lines within the line that are read. */
const MAX_INNER_LINES = 1000;
/** How deep substitutions may stand in each other, and nodes of the syntax. */
const MAX_SUBSTITUTIONS = 16;
const MAX_NODES = 400;
/** How deep a command line may stand in another (`sh -c "sh -c …"`). */
const MAX_DEPTH = 8;

/** Reads the line like bash. What it cannot read is unclear. Takes time in proportion to the length of the line. */
export function commandsOf(line: string): FoundCommands {
  const search: Search = { commands: [], unclear: null, work: 0, lines: 0 };
  readLine(search, line, PLAIN);
  return search;
}

interface Search {
  readonly commands: FoundCommand[];
  unclear: string | null;
  work: number;
  lines: number;
}

/** The parser reads what is in these only when it is visited. */
const SUBSTITUTIONS: ReadonlySet<string> = new Set(['CommandExpansion', 'ProcessSubstitution', 'ArithmeticExpansion']);

/** Where in the line a part of it stands. */
interface Place {
  /** Command lines that it stands in. */
  readonly depth: number;
  readonly substitutions: number;
  readonly nodes: number;
  readonly remote: boolean;
}

const PLAIN: Place = { depth: 0, substitutions: 0, nodes: 0, remote: false };

function readLine(search: Search, line: string, place: Place): void {
  const { depth, remote } = place;
  search.work += line.length;
  search.lines++;
  const isLong = line.length > MAX_LINE || line.split('<<', MAX_HERE_DOCUMENTS + 2).length > MAX_HERE_DOCUMENTS + 1;
  if (isLong) return unclear(search, false, 'it is too long to be checked');
  if (line.includes(UNKNOWN)) return unclear(search, remote, 'a part of it is only known when it runs');
  if (search.work > MAX_WORK || search.lines > MAX_INNER_LINES)
    return unclear(search, false, 'it is too long to be checked');
  if (depth > MAX_DEPTH) return unclear(search, remote, 'too many command lines stand in each other');
  visit(search, parser().parse(line), { ...place, substitutions: 0, nodes: 0 });
}

/** What is remote runs only if something evaluates it, so it makes nothing unclear. */
function unclear(search: Search, remote: boolean, why: string): void {
  if (!remote) search.unclear ??= why;
}

/** Visits all nodes, also those within words. */
function visit(search: Search, node: SyntaxNode, place: Place): void {
  const isSubstitution = SUBSTITUTIONS.has(node.type);
  if (isSubstitution) search.work += node.end - node.pos;
  const within = {
    ...place,
    nodes: place.nodes + 1,
    substitutions: place.substitutions + (isSubstitution ? 1 : 0),
  };
  if (search.work > MAX_WORK || within.nodes > MAX_NODES || within.substitutions > MAX_SUBSTITUTIONS)
    return unclear(search, false, 'it has too many parts within parts');
  if (node.type === 'Script' && node.errors?.[0])
    unclear(search, place.remote, `it cannot be parsed: ${node.errors[0].message}`);
  if (node.type === 'Command') readCommand(search, node, place);
  if (node.type === 'Assignment') readAssignment(search, node, place);
  if (node.type === 'SingleQuoted' || node.type === 'AnsiCQuoted' || node.type === 'Literal')
    readQuoted(search, node.value, place);
  if (node.type === 'Word' && node.parts === undefined) readQuoted(search, node.value, place);
  parser().forEachChild(node, (child) => visit(search, child, within));
}

function readCommand(search: Search, command: Command, place: Place): void {
  const { depth, remote } = place;
  if (command.name === undefined) return;
  const words = [wordText(command.name)];
  for (const argument of command.args) words.push(argumentText(argument));
  const input = command.redirects.map(inputText).filter((text) => text !== null);
  const { starts, texts, unclear: why } = startsOf(words, input.length > 0 ? input.join('\n') : null);
  if (why !== null) unclear(search, remote, why);
  for (const start of starts) add(search, start, remote);
  for (const text of texts) readLine(search, text, { ...place, depth: depth + 1 });
  if (RENAMES.has(programName(words[0]!)) && words.length > 1)
    unclear(search, remote, `${words[0]} gives commands other names`);
}

function readAssignment(search: Search, { name, value }: Assignment, place: Place): void {
  if (COMMAND_VARIABLE.test(name)) unclear(search, place.remote, `it sets ${name}`);
  if (COMMAND_VALUE.test(name)) readLine(search, valueText(value), { ...place, depth: place.depth + 1 });
}

/** Bash evaluates some texts later, such as indexes of arrays: a substitution in one is a command that could run. */
function readQuoted(search: Search, text: string, place: Place): void {
  if (!text.includes('$(') && !text.includes('`') && !text.includes('${')) return;
  let end = 'END';
  while (text.includes(end)) end += 'X';
  readLine(search, `:<<${end}\n${text}\n${end}\n`, { ...place, depth: place.depth + 1, remote: true });
}

function add(search: Search, words: readonly string[], remote: boolean): void {
  let text = '';
  for (const word of words) {
    text += text === '' ? word : ` ${word}`;
    if (text.length > MAX_TEXT) break;
  }
  if (text.length > MAX_TEXT) text = text.slice(0, MAX_TEXT) + UNKNOWN;
  search.work += text.length;
  search.commands.push({ text, remote });
}

/** Loaded with the first rule about commands: it is a fifth of a megabyte of code. */
function parser(): typeof import('unbash') {
  return (loaded ??= createRequire(import.meta.url)('unbash') as typeof import('unbash'));
}

let loaded: typeof import('unbash') | undefined;
