/** The command line: argv in, exit code out. */
import { Command, CommanderError } from 'commander';
import { AnimusError, usageError } from '../core/errors/errors.ts';
import { loadSections } from '../features/features.ts';
import {
  type CliContext,
  commandRunner,
  type FindProgram,
  outputOf,
  type RunCommand,
} from '../terminal/command/command.ts';
import { version } from '../terminal/command/version.ts';
import { COMMAND_GROUPS, type CommandGroup } from './command-groups.ts';

/** Runs one command. Never throws: an error is printed and becomes the exit code (docs/cli.md). */
export async function runCli(argv: readonly string[], context: CliContext): Promise<number> {
  let exitCode = 0;
  const open = (json: boolean) => outputOf(argv, context, json);
  const run = commandRunner(context, open, (code) => (exitCode = code), loadSections);
  try {
    await parse(await buildProgram(run, context, argv), argv);
    return exitCode;
  } catch (error) {
    return (await open(argv.includes('--json'))).fail(error);
  }
}

async function parse(program: Command, argv: readonly string[]): Promise<void> {
  try {
    // Without arguments, print the help.
    await program.parseAsync(argv.length === 0 ? ['--help'] : argv, { from: 'user' });
  } catch (error) {
    const usage = error instanceof CommanderError ? ofCommander(error, program, argv) : error;
    if (usage !== null) throw usage;
  }
}

/**
 * The tree of commands; nothing runs until it parses. With `words` (a command line without `animus`), a group of commands that they do not
 * begin with has only its names: loading all groups takes longer than most commands take.
 */
export async function buildProgram(
  run: RunCommand,
  streams: Pick<CliContext, 'stdout'>,
  words: readonly string[] = [],
): Promise<Command> {
  const program = bareProgram(streams);
  const find: FindProgram = (others) => buildProgram(run, streams, others);
  const whole = needsAll(words);
  const groups = await Promise.all(
    COMMAND_GROUPS.map(async (group) => ({
      group,
      add: whole || begins(words, group) ? await group.load(words[1]) : null,
    })),
  );
  for (const { group, add } of groups) {
    if (add !== null) add(program, run, find);
    else for (const name of group.names) program.command(name);
  }
  return program;
}

function begins([first = '']: readonly string[], { names }: CommandGroup): boolean {
  return names.includes(first);
}

/** The help of the program needs the summary of every command. */
function needsAll(words: readonly string[]): boolean {
  if (COMMAND_GROUPS.some((group) => begins(words, group))) return false;
  return words.length === 0 || words.includes('--help') || words.includes('-h');
}

function bareProgram(streams: Pick<CliContext, 'stdout'>): Command {
  return (
    new Command('animus')
      .description('A Postgres-native agent daemon: work is a row, an agent is a TOML file.')
      .version(`animus ${version()}`, '-V, --version', 'print the version')
      .exitOverride()
      // Descriptions beside long names are also wrapped on a narrow terminal. quick-answers.js has the same number.
      .configureHelp({ minWidthToWrap: 20 })
      // Commander's own error output is turned off: one function prints every error.
      .configureOutput({
        writeOut: (text) => streams.stdout.write(text),
        writeErr: () => {},
        outputError: () => {},
        getOutHelpWidth: () => streams.stdout.columns || 100,
      })
      .helpCommand(false)
      .showSuggestionAfterError()
      .addHelpText(
        'after',
        '\nExamples:\n  animus demo\n  animus init\n  animus serve\n  animus work submit engineer "Fix the failing test" --wait\n\n' +
          'More about a command, or about exit codes, variables, ids, states: animus help TOPIC',
      )
  );
}

/** Converts an error of commander; null if it only printed help or the version. */
function ofCommander(error: CommanderError, program: Command, argv: readonly string[]): AnimusError | null {
  if (error.exitCode === 0) return null;
  const path = commandPath(program, argv);
  const said = error.code === 'commander.help' ? 'no command given' : inOurWords(error, path.length === 1);
  const detail = `${said}; see: ${[...path, '--help'].join(' ')}`;
  return usageError(detail, error);
}

function inOurWords({ code, message }: CommanderError, beforeCommand: boolean): string {
  const said = message
    .replace(/^error: /, '')
    .replaceAll('\n', ' ')
    .replace(/\.$/, '');
  const [, option, value, expected] =
    /^option '(?:-\w, )?(--[a-z-]+).*?' argument '(.*)' is invalid\. Expected (.*)$/.exec(said) ?? [];
  if (expected !== undefined) return `${option}: expected ${expected}, got ${JSON.stringify(value)}`;
  const [, common] = /^unknown option '(--json|--config)'/.exec(said) ?? [];
  if (code === 'commander.unknownOption' && beforeCommand && common !== undefined)
    return `${common} goes after the command`;
  return said;
}

/** The names of the command that a command line selects. */
function commandPath(program: Command, argv: readonly string[]): string[] {
  const path = [program.name()];
  let command = program;
  for (const word of argv) {
    const inner = command.commands.find((each) => each.name() === word);
    if (inner === undefined) break;
    path.push(inner.name());
    command = inner;
  }
  return path;
}
