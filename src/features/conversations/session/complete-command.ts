/** What Tab offers in a line that is a command of the session. */

import type { Completion } from '../console/complete-line.ts';
import { whileAnswering } from '../store/conversations.ts';
import { completePath } from './complete-path.ts';
import type { OpenConversation } from './conversation.ts';
import { COMMAND_NAMES, isSlashCommand } from './slash-commands.ts';

export interface CompletionSources {
  readonly conversation: OpenConversation;
  readonly cwd: string;
  readonly home: string;
  readonly actor: string;
  /** The faculties that there are. */
  readonly faculties: () => Promise<readonly string[]>;
}

type Values = (sources: CompletionSources, typed: string) => readonly string[] | Promise<readonly string[]>;

const paths: Values = (sources, typed) => completePath(typed, sources);
const ownNumbers: Values = ({ conversation, actor }) =>
  conversation.messages
    .filter(({ role, told, author }) => role === 'user' && !told && author === actor)
    .map(({ number }) => String(number));

const VALUES: Readonly<Record<string, Values>> = {
  attach: (sources, typed) => [...completePath(typed, sources), ...(typed === '' ? [] : ['none'])],
  export: paths,
  edit: ownNumbers,
  retry: ownNumbers,
  delete: ({ conversation }) => [...conversation.messages.map(({ number }) => String(number)), 'conversation'],
  history: () => ['all'],
  faculty: ({ faculties }) => faculties(),
  while: () => whileAnswering.words,
};

/** Null: the line is not a command. A promise only where the database is asked. */
export function completeCommand(sources: CompletionSources, typed: string): Completion | null | Promise<Completion> {
  if (!isSlashCommand(typed)) return null;
  const [, name = '', given] = /^\/(\S*)(?:\s+([\s\S]*))?$/.exec(typed) ?? [];
  if (given === undefined) return { from: 0, words: COMMAND_NAMES.map((each) => `/${each}`) };
  const from = typed.length - given.length;
  const words = Object.hasOwn(VALUES, name) ? VALUES[name]!(sources, given) : [];
  return words instanceof Promise ? words.then((known) => ({ from, words: known })) : { from, words };
}
