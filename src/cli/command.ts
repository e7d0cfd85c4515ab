/** What the commands share: their context, their options, and how they end. */
import type { Readable } from 'node:stream';
import { Command } from 'commander';
import { loadConfig } from '../catalog/load-config.ts';
import type { Config } from '../core/config.ts';
import type { Environment } from '../core/environment.ts';
import type { OpenHealth } from '../core/health.ts';
import type { Interrupts } from '../core/interrupts.ts';
import { createOutput, type Output, type Sink } from './output.ts';

/** The process a command runs in, or a test's. */
export interface CliContext {
  readonly env: Environment;
  readonly cwd: string;
  readonly stdin: Readable;
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly signals: Pick<Interrupts, 'drain' | 'abort' | 'endedAsAsked'>;
  /** Serves health for the daemon; absent: nobody does. */
  readonly openHealth?: OpenHealth;
}

/** What a command is given to work with. */
export interface Invocation {
  readonly context: CliContext;
  readonly output: Output;
  /** The configuration, read at the first call. Errors: `config.*`. */
  config(): Config;
}

/** Options every command has. */
export interface CommonOptions {
  readonly json?: boolean;
  readonly config?: string;
}

/** The name, arguments, help and examples of a command. */
export interface CommandHelp {
  readonly summary: string;
  readonly examples: readonly string[];
}

/** A command of `parent` with the options every command has; `usage` is its name and arguments. */
export function addCommand(parent: Command, usage: string, help: CommandHelp): Command {
  return parent
    .command(usage)
    .description(help.summary)
    .option('--json', 'print one JSON document for programs')
    .option('--config <file>', 'read this file instead of ./animus.toml')
    .addHelpText('after', `\nExamples:\n${help.examples.map((example) => `  ${example}`).join('\n')}`);
}

/** A command that only holds others. */
export function addGroup(parent: Command, name: string, summary: string): Command {
  return parent.command(name).description(summary);
}

/**
 * Wraps a command's function for commander: makes its invocation, prints what it throws, keeps its exit code. The
 * function gets its options and arguments, and returns the exit code.
 */
export type RunCommand = (
  command: (invocation: Invocation, ...optionsAndArguments: never[]) => number | Promise<number>,
) => (...received: unknown[]) => Promise<void>;

/** A RunCommand for this context; `ended` is told the exit code. */
export function commandRunner(context: CliContext, ended: (exitCode: number) => void): RunCommand {
  return (command) =>
    async (...received) => {
      // Commander passes the arguments, then the options, then itself.
      const args = received.slice(0, -2);
      const options = received.at(-2) as CommonOptions;
      const { stdout, stderr, env } = context;
      const output = createOutput({ stdout, stderr, env, json: options.json === true });
      let config: Config | undefined;
      const load = () => (config ??= loadConfig({ env, cwd: context.cwd, configFile: options.config }));
      const invocation = { context, output, config: load };
      try {
        ended(await command(invocation, ...([options, ...args] as never[])));
      } catch (error) {
        ended(output.fail(error));
      }
    };
}
