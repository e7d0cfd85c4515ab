/** The words that may come next on a command line, derived from the commander program, so that they are always current. */
import type { Command, Option } from 'commander';
import { LEDGER_TYPES, WORK_STATES } from '../../core/work/work.ts';

/** Values that the program itself does not know. */
export interface WordSources {
  readonly faculties: () => Promise<readonly string[]>;
  /** Faculties that come with animus. */
  readonly shipped: () => Promise<readonly string[]>;
  readonly skills: () => Promise<readonly string[]>;
  readonly providers: () => Promise<readonly string[]>;
  /** Short ids of the work items to which `command` (`cancel`, `retry` …) applies. */
  readonly ids: (command: string) => Promise<readonly string[]>;
  readonly schedules: () => Promise<readonly string[]>;
  /** Short ids of conversations, newest first. */
  readonly conversations: () => Promise<readonly string[]>;
}

/** Called when a value is wanted: it loads the database driver, which commands and options do not need. */
type LoadSources = () => Promise<WordSources>;

/** `words` follow the program's name; the last one is being typed and may be empty. An empty result: a file, or anything. */
export async function completionWords(
  program: Command,
  words: readonly string[],
  sources: LoadSources,
): Promise<readonly string[]> {
  const typed = words.at(-1) ?? '';
  const { command, option, position } = read(program, words.slice(0, -1));
  const candidates = await candidatesFor(command, option, position, typed, sources);
  return [...new Set(candidates)].filter((word) => word.startsWith(typed));
}

interface Reading {
  readonly command: Command;
  /** The option that expects a value next. */
  readonly option: Option | null;
  /** How many arguments of the command are given. */
  readonly position: number;
}

function read(program: Command, words: readonly string[]): Reading {
  let reading: Reading = { command: program, option: null, position: 0 };
  for (const word of words) {
    const { command, option, position } = reading;
    const isValue = option !== null && !(option.optional && word.startsWith('-'));
    if (isValue) reading = { command, option: null, position };
    else if (word.startsWith('-')) {
      const named = command.options.find(({ long, short }) => word === long || word === short);
      reading = { command, option: named?.required || named?.optional ? named : null, position };
    } else {
      const inner = command.commands.find((each) => each.name() === word);
      reading =
        inner === undefined ? { command, option, position: position + 1 } : { command: inner, option, position: 0 };
    }
  }
  return reading;
}

async function candidatesFor(
  command: Command,
  option: Option | null,
  position: number,
  typed: string,
  sources: LoadSources,
): Promise<readonly string[]> {
  // An option whose value may be left out is followed by its value or by anything else.
  const values = option === null ? [] : await valuesOf(valueName(option), command, sources);
  if (option?.required || (values.length > 0 && !typed.startsWith('-'))) return values;
  if (typed.startsWith('-')) return [...command.options.flatMap(({ long }) => long ?? []), '--help'];
  if (command.commands.length > 0) {
    const [own] = command.registeredArguments;
    const names = command.commands.map((each) => each.name());
    return typed === '' || own === undefined ? names : [...names, ...(await valuesOf(own.name(), command, sources))];
  }
  const argument = command.registeredArguments[Math.min(position, command.registeredArguments.length - 1)];
  if (argument === undefined || (position >= command.registeredArguments.length && !argument.variadic)) return [];
  return argument.argChoices ?? valuesOf(argument.name(), command, sources);
}

/** The kind of value an option takes: `--state <state>` a state, `--faculty <name>` a faculty, `--parent <id>` an id. */
function valueName({ long, flags }: Option): string {
  const placeholder = /[<[](.*)[>\]]/.exec(flags)?.[1] ?? '';
  return placeholder === 'name' ? (long ?? '').replace(/^--/, '') : placeholder;
}

/** The kinds of values that are read from files or the database, and by what. */
const LOOKED_UP: Readonly<Record<string, keyof WordSources>> = {
  faculty: 'faculties',
  names: 'faculties',
  shipped: 'shipped',
  skill: 'skills',
  skills: 'skills',
  provider: 'providers',
  id: 'ids',
  name: 'schedules',
  chat: 'conversations',
};

async function valuesOf(name: string, command: Command, load: LoadSources): Promise<readonly string[]> {
  if (name === 'state' || name === 'states') return WORK_STATES;
  if (name === 'type') return LEDGER_TYPES;
  const source = name === 'id' && isOfConversations(command) ? 'conversations' : LOOKED_UP[name];
  if (source === undefined || (source === 'schedules' && command.parent?.name() !== 'schedule')) return [];
  return (await load())[source](command.name());
}

/** Ids of `animus chat` and its commands are those of conversations. */
function isOfConversations(command: Command): boolean {
  return command.name() === 'chat' || command.parent?.name() === 'chat';
}
