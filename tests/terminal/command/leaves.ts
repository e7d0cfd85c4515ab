/** The commands of the program: those that do something, not those that only group others. */
import type { Command } from 'commander';

interface Leaf {
  readonly usage: string;
  readonly path: readonly string[];
  readonly command: Command;
}

export function leaves(parent: Command, path: readonly string[] = []): Leaf[] {
  return parent.commands.flatMap((command) => {
    const here = [...path, command.name()];
    const below = leaves(command, here);
    // A command that only groups others has no options.
    if (command.options.length === 0) return below;
    const args = command.registeredArguments.map((argument) => {
      const name = argument.name() + (argument.variadic ? '...' : '');
      return argument.required ? `<${name}>` : `[${name}]`;
    });
    return [{ usage: [...here, ...args].join(' '), path: here, command }, ...below];
  });
}
