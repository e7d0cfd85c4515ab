/** `animus sandbox …`: the containers in which agents' code runs. */
import type { Command } from 'commander';
import { addGroup, type RunCommand } from '../../terminal/command/command.ts';
import { addBuildCommand } from './build.ts';
import { addSandboxRunCommand } from './run.ts';
import { addSandboxStatusCommand } from './status.ts';

/** Adds `animus sandbox build`, `animus sandbox status` and `animus sandbox run`. */
export function addSandboxCommands(program: Command, run: RunCommand): void {
  const group = addGroup(program, 'sandbox', "the containers in which agents' code runs");
  addBuildCommand(group, run);
  addSandboxStatusCommand(group, run);
  addSandboxRunCommand(group, run);
}
