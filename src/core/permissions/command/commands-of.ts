/** Finds every command that any part of a command line could run. */
import { createRequire } from 'node:module';
import type { Assignment, Command, SyntaxNode } from 'unbash';
import { UNKNOWN } from '../text/wildcard.ts';
import { type Evaluation, evaluationOf } from './evaluates.ts';
import { changesGit, programName, RENAMES } from './runners.ts';
import { startsOf, wordsInside } from './starts-of.ts';
import { COMMAND_VALUE, isExportable, isOrdinaryVariable } from './variables.ts';
import { whatRuns } from './what-runs.ts';
import { argumentText, firmText, inputText, valueText, wordText } from './words.ts';

/** A command that the line could run. */
export interface FoundCommand {
  /** Its words, separated by single spaces; what is only known when it runs is `UNKNOWN`. At most 4,096 characters, then `UNKNOWN`. */
  readonly text: string;
  /** True: it stands where usually data stands, such as quotes or words of an unknown program, and only runs if something runs these. */
  readonly remote: boolean;
}

/** What a command line could run. */
export interface FoundCommands {
  readonly commands: readonly FoundCommand[];
  /** Why other commands than these could run, for people; null if none could. */
  readonly unclear: string | null;
  /** The same where all that is not known is what its programs run by themselves, such as a test runner; null otherwise. */
  readonly more: string | null;
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
/** How deep a command line may be nested in another (`sh -c "sh -c …"`). */
const MAX_DEPTH = 8;

/** Reads the line like bash. What it cannot read is unclear. Takes time in proportion to the length of the line. */
export function commandsOf(line: string): FoundCommands {
  const search: Search = { commands: [], unclear: null, more: null, work: 0, lines: 0, evaluation: {} };
  readLine(search, line, PLAIN);
  const { reads, holds } = search.evaluation;
  if (reads && holds) unclear(search, false, 'it does arithmetic with a value that may contain a command');
  return search;
}

interface Search {
  readonly commands: FoundCommand[];
  unclear: string | null;
  more: string | null;
  work: number;
  lines: number;
  /** What the line calculates with: bash runs the commands in the value of a variable. */
  readonly evaluation: Evaluation;
}

/** The parser reads what is in these only when it is visited. */
const SUBSTITUTIONS: ReadonlySet<string> = new Set(['CommandExpansion', 'ProcessSubstitution', 'ArithmeticExpansion']);

/** Where in the line a part of it is. */
interface Place {
  /** Command lines that it is nested in. */
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
  if (depth > MAX_DEPTH) return unclear(search, remote, 'its command lines are nested too deeply');
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
    return unclear(search, false, 'its parts are nested too deeply');
  if (node.type === 'Script' && node.errors?.[0])
    unclear(search, place.remote, `it cannot be parsed: ${node.errors[0].message}`);
  const why = evaluationOf(node, search.evaluation);
  if (why !== null) unclear(search, place.remote, why);
  if (node.type === 'Command') readCommand(search, node, place);
  if (node.type === 'Assignment') readAssignment(search, node, place);
  if (node.type === 'Redirect' && node.target && changesGit([wordText(node.target)]))
    unclear(search, place.remote, 'it may change what git runs');
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
  judge(search, command, words, place);
}

/** Whether it runs anything else. If that is not known of a program, its words may be commands. */
function judge(search: Search, command: Command, words: readonly string[], place: Place): void {
  const { remote } = place;
  const name = programName(words[0]!);
  if (RENAMES.has(name) && words.length > 1)
    return unclear(search, remote, `${words[0]} defines other names for commands`);
  for (const set of command.prefix)
    if (set.type === 'Assignment' && !isExportable(set.name))
      unclear(search, remote, `it sets ${set.name} for ${words[0]}`);
  if (changesGit(words)) unclear(search, remote, 'it may change what git runs');
  const runs = whatRuns([firmText(command.name!), ...command.args.map(firmText)]);
  if (runs.kind === 'itself') return;
  if (runs.kind === 'unclear') unclear(search, remote, runs.why);
  if (remote) return;
  if (runs.kind === 'more') search.more ??= runs.why;
  const inside = wordsInside(words.slice(1));
  if (inside === null) return unclear(search, remote, `${words[0]} has too many arguments`);
  for (const start of inside.starts) add(search, start, true);
  for (const text of inside.texts) readLine(search, text, { ...place, depth: place.depth + 1, remote: true });
}

function readAssignment(search: Search, { name, value }: Assignment, place: Place): void {
  if (!isOrdinaryVariable(name)) unclear(search, place.remote, `it sets ${name}`);
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
