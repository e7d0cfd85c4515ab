/** The command line: argv in, exit code out. */
import { Command, CommanderError } from 'commander';
import { AnimusError } from '../core/errors.ts';
import { type CliContext, commandRunner, type RunCommand } from './command.ts';
import { addCompletionCommand } from './completion.ts';
import { addConfigCommand } from './config.ts';
import { addDbCommands } from './db.ts';
import { addDemoCommand } from './demo.ts';
import { addDoctorCommand } from './doctor.ts';
import { addFacultyCommands } from './faculty.ts';
import { addHealthCommand } from './health.ts';
import { addHelpCommand } from './help-topics.ts';
import { addLedgerCommands } from './ledger.ts';
import { addModelsCommand } from './models.ts';
import { createOutput } from './output.ts';
import { addPauseCommands } from './pause.ts';
import { addScheduleCommands } from './schedule.ts';
import { addServeCommand } from './serve.ts';
import { addStatusCommand } from './status.ts';
import { version } from './version.ts';
import { addWorkCommands } from './work.ts';

/** Runs one command. Never throws: what goes wrong is printed and becomes the exit code (docs/cli.md). */
export async function runCli(argv: readonly string[], context: CliContext): Promise<number> {
  let exitCode = 0;
  const run = commandRunner(context, (code) => (exitCode = code));
  const program = buildProgram(run, context);
  try {
    // Alone, the command is a question: what can it do?
    await program.parseAsync(argv.length === 0 ? ['--help'] : argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    const usage = error instanceof CommanderError ? usageError(error, program, argv) : error;
    if (usage === null) return 0;
    const { stdout, stderr, env } = context;
    return createOutput({ stdout, stderr, env, json: argv.includes('--json') }).fail(usage);
  }
}

/** The tree of commands; nothing runs until it parses. */
export function buildProgram(run: RunCommand, streams: Pick<CliContext, 'stdout'>): Command {
  const program = new Command('animus')
    .description('A Postgres-native agent daemon: work is a row, an agent is a TOML file.')
    .version(`animus ${version()}`, '-V, --version', 'print the version')
    .exitOverride()
    // Commander's own error output is left out: every error is printed by one function.
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
      '\nExamples:\n  animus demo\n  animus serve\n  animus work submit engineer "Fix the failing test" --wait\n\n' +
        'More about a command, or about exit codes, variables, ids, states: animus help TOPIC',
    );
  addDemoCommand(program, run);
  addServeCommand(program, run);
  addStatusCommand(program, run);
  addHealthCommand(program, run);
  addWorkCommands(program, run);
  addPauseCommands(program, run);
  addScheduleCommands(program, run);
  addLedgerCommands(program, run);
  addFacultyCommands(program, run);
  addModelsCommand(program, run);
  addDbCommands(program, run);
  addConfigCommand(program, run);
  addDoctorCommand(program, run);
  addCompletionCommand(program, run);
  addHelpCommand(program, run);
  return program;
}

/** What commander says, in our words; null where it only printed what it was asked for. */
function usageError(error: CommanderError, program: Command, argv: readonly string[]): AnimusError | null {
  if (error.exitCode === 0) return null;
  const path = commandPath(program, argv);
  const said = error.code === 'commander.help' ? 'a command is missing' : inOurWords(error, path.length === 1);
  const detail = `${said}; see: ${[...path, '--help'].join(' ')}`;
  return new AnimusError('usage.invalid', { detail }, { cause: error });
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
    return `${common} belongs behind the command`;
  return said;
}

/** The names of the command that a line is about, as far as it names one. */
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
