/** The command line: argv in, exit code out. */
import { Command, CommanderError } from 'commander';
import { AnimusError } from '../core/errors/errors.ts';
import { type CliContext, commandRunner, type RunCommand } from './command/command.ts';
import { version } from './command/version.ts';
import { addDbCommands } from './db/db.ts';
import { addDemoCommand } from './demo/demo.ts';
import { addDoctorCommand } from './doctor/doctor.ts';
import { addFacultyCommands } from './faculty/faculty.ts';
import { addInitCommand } from './init/init.ts';
import { addPauseCommands } from './operate/pause.ts';
import { addScheduleCommands } from './operate/schedule.ts';
import { addHealthCommand } from './serve/health.ts';
import { addServeCommand } from './serve/serve.ts';
import { addConfigCommand } from './settings/config.ts';
import { addModelsCommand } from './settings/models.ts';
import { addCompletionCommand } from './shell/completion.ts';
import { addHelpCommand } from './shell/help-topics.ts';
import { addStatusCommand } from './status/status.ts';
import { createOutput } from './view/output.ts';
import { addLedgerCommands } from './work/ledger.ts';
import { addWorkCommands } from './work/work.ts';

/** Runs one command. Never throws: an error is printed and becomes the exit code (docs/cli.md). */
export async function runCli(argv: readonly string[], context: CliContext): Promise<number> {
  let exitCode = 0;
  const run = commandRunner(context, (code) => (exitCode = code));
  const program = buildProgram(run, context);
  try {
    // Without arguments, print the help.
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
    );
  addDemoCommand(program, run);
  addInitCommand(program, run);
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

/** Converts an error of commander; null if it only printed help or the version. */
function usageError(error: CommanderError, program: Command, argv: readonly string[]): AnimusError | null {
  if (error.exitCode === 0) return null;
  const path = commandPath(program, argv);
  const said = error.code === 'commander.help' ? 'no command given' : inOurWords(error, path.length === 1);
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
