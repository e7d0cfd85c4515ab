/** What all commands share: their context, their options, and how they report errors and exit codes. */

import type { Readable } from 'node:stream';
import { Command } from 'commander';
import type { LoadConfigOptions } from '../../catalog/config/config-files.ts';
import { type LoadSections, loadReach } from '../../catalog/config/load-reach.ts';
import type { Config } from '../../core/config/config.ts';
import type { Reach } from '../../core/config/reach.ts';
import type { HttpConfig } from '../../core/config/sections/http.ts';
import type { Environment } from '../../core/config/source/environment.ts';
import type { OpenHealth } from '../../core/lifecycle/health.ts';
import type { Interrupts } from '../../core/lifecycle/interrupts.ts';
import type { JobControl } from '../../core/lifecycle/job-control.ts';
import type { Secret } from '../../core/secrets/secret.ts';
import { ID_RULE } from '../../core/work/id-reference.ts';
import type { ApiParts, OpenApi } from '../../daemon/daemon-options.ts';
import { createOutput, type Output, type Sink } from '../view/output.ts';

/** The process that a command runs in, or the stand-in of a test. */
export interface CliContext {
  readonly env: Environment;
  readonly cwd: string;
  readonly stdin: Readable;
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly signals: Pick<Interrupts, 'drain' | 'abort' | 'endedAsAsked' | 'passInterrupts'>;
  /** Absent: there is no shell that could stop the command, and no terminal that could end. */
  readonly jobs?: JobControl;
  /** Loads what serves health for the daemon. Absent: health is not served. */
  readonly loadHealth?: () => Promise<OpenHealth>;
  /** Opens the API, and loads its code only then. Absent: it is not served. */
  readonly openApi?: OpenApi;
  /** Serves MCP on standard input and output, and loads its code only then. Absent: it is not served. */
  readonly serveMcp?: (parts: McpParts) => Promise<void>;
}

/** What the MCP server gets of the command that serves it. */
export interface McpParts extends Omit<ApiParts, 'settings' | 'models'> {
  readonly token: Secret;
  readonly oidc: HttpConfig['oidc'];
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** The means that each command gets. */
export interface Invocation {
  readonly context: CliContext;
  readonly output: Output;
  /** The configuration, read on the first call. Errors: `config.*`. */
  config(): Promise<Config>;
  /**
   * Where the database and the daemon are, which is all that most commands need. Read on the first call, which prints problems of the rest of
   * the configuration. Errors: `config.*` for a wrong environment.
   */
  reach(): Promise<Reach>;
}

/** Options every command has. */
export interface CommonOptions {
  readonly json?: boolean;
  readonly config?: string;
}

/** The name, arguments, help and examples of a command. */
export interface CommandHelp {
  readonly summary: string;
  /** Descriptions of arguments, by name. They override the common ones in ARGUMENTS. */
  readonly arguments?: Readonly<Record<string, string>>;
  readonly examples: readonly string[];
}

/**
 * Adds a command to `parent`, with the options that every command has. `usage` is its name and arguments. Its help
 * describes each argument, gives examples, and names the help topics on exit codes and variables.
 */
export function addCommand(parent: Command, usage: string, help: CommandHelp): Command {
  const command = parent.command(usage).description(help.summary);
  for (const argument of command.registeredArguments) {
    argument.description ||= help.arguments?.[argument.name()] ?? ARGUMENTS[argument.name()] ?? '';
  }
  return command
    .option('--json', 'print one JSON document for programs')
    .option('--config <file>', 'read this file instead of ./animus.toml')
    .addHelpText('after', `\nExamples:\n${help.examples.map((example) => `  ${example}`).join('\n')}\n\n${SEE_ALSO}`);
}

/** The description of each argument, by name, in all commands. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  id: `the work item: ${ID_RULE}`,
  faculty: 'the name of a faculty',
  description: 'the task; - reads it from standard input',
  type: 'plan, finding, decision, step, error or note',
  content: 'the text; - reads it from standard input',
  names: 'names of faculties (default: all)',
  skill: 'the name of a skill',
  name: 'the name of the schedule',
  cron: 'a cron expression in quotes, such as "0 9 * * MON-FRI"',
  script: 'a TOML file with the answers and tool calls of the model',
  topic: 'a command or a topic',
  args: 'arguments that are passed to psql unchanged',
};

const SEE_ALSO = 'Exit codes: animus help exit-codes. Variables: animus help environment.';

/** Finds the program for a command line without `animus`: the whole one without words, otherwise at least the command they begin with. */
export type FindProgram = (words: readonly string[]) => Promise<Command>;

type CommandOf<Rest extends unknown[]> = (invocation: Invocation, ...rest: Rest) => Promise<number>;

/** A command that is loaded when it runs: it needs what the others of its group do not. */
export function lazily<Rest extends unknown[]>(load: () => Promise<CommandOf<Rest>>): CommandOf<Rest> {
  return async (...given) => (await load())(...given);
}

/** Adds a command that only groups others. */
export function addGroup(parent: Command, name: string, summary: string): Command {
  return parent.command(name).description(summary).helpCommand(false);
}

/**
 * Wraps the function of a command for commander: creates its invocation, prints the error it throws and records its exit
 * code. The function gets its options and arguments, and returns the exit code.
 */
export type RunCommand = (
  command: (invocation: Invocation, ...optionsAndArguments: never[]) => number | Promise<number>,
) => (...received: unknown[]) => Promise<void>;

/** A RunCommand for this context. It prints on what `open` returns, and calls `ended` with the exit code. `loadSections`: the tables of animus.toml that parts of animus declare. */
export function commandRunner(
  context: CliContext,
  open: (json: boolean) => Promise<Output>,
  ended: (exitCode: number) => void,
  loadSections: LoadSections,
): RunCommand {
  return (command) =>
    async (...received) => {
      // Commander passes the arguments, then the options, then itself. A command with subcommands takes the options that
      // both have, wherever they stand.
      const args = received.slice(0, -2);
      const itself = received.at(-1) as Command;
      refuseOptionsOfParents(itself);
      const options = itself.optsWithGlobals<CommonOptions>();
      const { env } = context;
      const output = await open(options.json === true);
      const sources = { env, cwd: context.cwd, configFile: options.config };
      let config: Promise<Config> | undefined;
      let reach: Promise<Reach> | undefined;
      const invocation = {
        context,
        output,
        config: () => (config ??= readConfiguration(sources, loadSections)),
        reach: () => (reach ??= findReach(sources, loadSections, output)),
      };
      try {
        ended(await command(invocation, ...([options, ...args] as never[])));
      } catch (error) {
        ended(output.fail(error));
      }
    };
}

/** Commander takes the options of a command after its subcommands, too: those that a subcommand does not have would be ignored. */
function refuseOptionsOfParents(command: Command): void {
  const has = new Set(command.options.map((option) => option.attributeName()));
  for (let parent = command.parent; parent !== null; parent = parent.parent) {
    for (const option of parent.options) {
      const name = option.attributeName();
      if (parent.getOptionValueSource(name) !== 'cli' || has.has(name)) continue;
      command.error(`error: unknown option '${option.long ?? option.flags}'`, { code: 'commander.unknownOption' });
    }
  }
}

/** Loaded when it is used: the schema of animus.toml takes longer to load than most commands take. */
async function readConfiguration(sources: LoadConfigOptions, loadSections: LoadSections): Promise<Config> {
  const [{ loadConfig }, { usePricesOf }, others] = await Promise.all([
    import('../../catalog/config/load-config.ts'),
    import('../../llm/models/price-home.ts'),
    loadSections(),
  ]);
  const config = loadConfig(sources, others);
  usePricesOf(config.home);
  return config;
}

async function findReach(sources: LoadConfigOptions, loadSections: LoadSections, output: Output): Promise<Reach> {
  const reach = await loadReach(sources, loadSections);
  if (reach.problem) output.problem('the configuration is broken, and this command runs without it', reach.problem);
  return reach;
}

/** Commands that run as services, and the one that prepares them. */
const SERVICES = ['serve', 'http', 'db migrate'] as const;

/**
 * True where everything that this command line prints is to be a line of the log: it is that of a service, `LOG_FORMAT=json` asks for JSON, and
 * nobody watches on a terminal. `argv` is without `animus`.
 */
export function printsLog(
  argv: readonly string[],
  { env, stdout, stderr }: Pick<CliContext, 'env' | 'stdout' | 'stderr'>,
): boolean {
  if (env['LOG_FORMAT'] !== 'json' || stdout.isTTY === true || stderr.isTTY === true) return false;
  const words = argv.slice(0, 2).join(' ');
  return !argv.includes('--json') && SERVICES.some((service) => `${words} `.startsWith(`${service} `));
}

/** The output of a command line. The log is loaded only where it is used. */
export async function outputOf(argv: readonly string[], context: CliContext, json: boolean): Promise<Output> {
  const { stdout, stderr, env } = context;
  if (!printsLog(argv, context)) return createOutput({ stdout, stderr, env, json });
  const [{ openLog }, { createLogOutput }] = await Promise.all([
    import('../../telemetry/log.ts'),
    import('../view/log-output.ts'),
  ]);
  const level = env['LOG_LEVEL'];
  return createLogOutput(openLog({ format: 'json', destination: stderr, ...(level !== undefined && { level }) }));
}
