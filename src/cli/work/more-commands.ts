/** The commands of `animus work` that are not features yet. */
import type { Command } from 'commander';
import type { RunCommand } from '../../terminal/command/command.ts';
import { addResultCommands } from './result/result-commands.ts';

export function addMoreWorkCommands(program: Command, run: RunCommand): void {
  const group = program.commands.find((command) => command.name() === 'work')!;
  addResultCommands(group, run);
}
