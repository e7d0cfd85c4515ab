/** `animus help`: the help of a command, or a page about a topic that concerns all commands. */
import type { Command } from 'commander';
import { usageError } from '../../core/errors/errors.ts';
import { didYouMean } from '../../core/errors/suggest.ts';
import { WORK_STATES } from '../../core/work/work.ts';
import {
  addCommand,
  type CommonOptions,
  type FindProgram,
  type Invocation,
  type RunCommand,
} from '../../terminal/command/command.ts';

/** What each exit code means. A test keeps the table in docs/cli.md equal to it. */
export const EXIT_CODES: Readonly<Record<number, string>> = {
  0: 'done',
  1: 'failed; or the work item that --wait waited for did not complete',
  2: 'wrong usage or configuration; nothing was done',
  3: 'not found',
  4: 'the database or another dependency cannot be reached; try again later',
  5: 'not possible in the current state',
  130: 'ended by SIGINT (Ctrl-C)',
  143: 'ended by SIGTERM',
};

/** The variables that every command reads; docs/config.md has a row for each. */
export const VARIABLES: Readonly<Record<string, string>> = {
  DATABASE_URL: 'postgres://user:password@host:port/database; unset: the embedded database',
  ANIMUS_HOME: 'directory of the embedded database and of running work (default: ~/.animus)',
  ANTHROPIC_API_KEY: 'key of the provider anthropic',
  OPENAI_API_KEY: 'key of the provider openai',
  ANTHROPIC_BASE_URL: 'base URL of the Anthropic API (default: https://api.anthropic.com)',
  OPENAI_BASE_URL: 'base URL of the OpenAI API (default: https://api.openai.com/v1)',
  LOG_LEVEL: 'trace, debug, info (default), warn, error, fatal or silent',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'where traces, metrics and logs are exported; unset: nothing is exported',
  NO_COLOR: 'any value turns colours off',
};

const TOPICS: Readonly<Record<string, { readonly about: string; readonly text: string }>> = {
  'exit-codes': {
    about: 'what the exit codes of commands mean',
    text: Object.entries(EXIT_CODES)
      .map(([code, meaning]) => `${code.padStart(5)}  ${meaning}`)
      .join('\n'),
  },
  environment: {
    about: 'the variables that commands read',
    text: [
      ...Object.entries(VARIABLES).map(([name, meaning]) => `  ${name}\n      ${meaning}`),
      '',
      'A secret can also be read from a file that only its owner can read: DATABASE_URL_FILE=/run/secrets/url.',
      'To see the effective values and where each comes from: animus config',
    ].join('\n'),
  },
  ids: {
    about: 'how to name a work item',
    text: `Each work item has an id such as 01936b2e-5f04-7c3a-9d51-5b1f0c3de2a9. Lists show its last twelve digits. A command
accepts at least four of these, from their beginning or end, if only one item has them; the branch of an item (animus/c657ab12cd34);
and the whole id or its beginning. Conversations, tokens and webhooks are named in the same way.`,
  },
  states: {
    about: 'the states of work',
    text: `${WORK_STATES.join(', ')}

  scheduled   run_at is in the future     animus work list --state scheduled
  queued      a daemon may claim it       not claimed? see: animus status
  claimed     a daemon has claimed it
  running     a focus is running          animus work tail ID
  waiting     for child work, a timer or a person; it holds no slot
  completed   it has an outcome           animus work show ID
  dead        no attempts are left        run it again: animus work retry ID
  merged      another item with the same dedup key was already active
  cancelled   by an operator, or together with its parent`,
  },
  json: {
    about: 'output for programs',
    text: `With --json a command prints one JSON document on stdout: keys in snake_case, times in ISO 8601 (work tail and
status --watch print one document per line). Errors are {"error": {"code", "message"}} on stderr: branch on the code and on the exit code,
never on the message. Nothing else is printed.`,
  },
};

/** Adds `animus help`. */
export function addHelpCommand(program: Command, run: RunCommand, find: FindProgram): void {
  addCommand(program, 'help [topic...]', {
    summary: `show the help of a command, or a page about ${Object.keys(TOPICS).join(', ')}`,
    examples: ['animus help work submit', 'animus help exit-codes'],
  }).action(
    run(async (invocation: Invocation, _options: CommonOptions, words: readonly string[]) =>
      help(invocation, await find(words), words),
    ),
  );
}

function help({ output }: Invocation, program: Command, words: readonly string[]): number {
  const [first = '', ...more] = words;
  const topic = more.length === 0 && Object.hasOwn(TOPICS, first) ? TOPICS[first] : undefined;
  const command = topic === undefined ? commandOf(program, words) : null;
  output.document({ topic: words.join(' '), text: topic?.text ?? command?.helpInformation() });
  if (topic !== undefined) output.block(topic.text);
  else if (!output.json) command?.outputHelp();
  if (words.length === 0) {
    output.line();
    output.line('Topics (animus help TOPIC):');
    for (const [name, { about }] of Object.entries(TOPICS)) output.line(`  ${name.padEnd(12)}  ${about}`);
  }
  return 0;
}

function commandOf(program: Command, words: readonly string[]): Command {
  let command = program;
  for (const word of words) {
    const inner = command.commands.find((each) => each.name() === word);
    if (inner === undefined) {
      const topics = command === program ? Object.keys(TOPICS) : [];
      const hint = didYouMean(word, [...command.commands.map((each) => each.name()), ...topics]);
      throw usageError(`no command or topic ${words.join(' ')}${hint}; see: animus help`);
    }
    command = inner;
  }
  return command;
}
