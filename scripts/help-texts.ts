/** The help of every command, as the launcher keeps it. */
import { join } from 'node:path';
import type { Command } from 'commander';
import { buildProgram } from '../src/cli/program.ts';

export const HELP_FILE = join(import.meta.dirname, '..', 'src', 'help.json');

/** Wider than any line. */
const INFINITE = 100_000;

/** The content of src/help.json: for each command, by its names, its text at infinite width (src/quick-answers.js). */
export async function helpTexts(): Promise<string> {
  const program = await buildProgram(() => async () => {}, { stdout: { write: () => {}, columns: INFINITE } });
  const texts = Object.fromEntries(helpOf(program, []));
  return `${JSON.stringify(texts, null, 2)}\n`;
}

function helpOf(command: Command, path: readonly string[]): [string, object][] {
  const text = command.helpInformation();
  const after = printed(command).slice(text.length);
  const own: [string, object] = [path.join(' '), { text, hang: hangOf(command), after }];
  return [own, ...command.commands.flatMap((inner) => helpOf(inner, [...path, inner.name()]))];
}

/** Two spaces stand before the widest term, and two after it. */
function hangOf(command: Command): number {
  const helper = command.createHelp();
  return helper.padWidth(command, helper) + 4;
}

function printed(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (piece) => void (text += piece) });
  command.outputHelp();
  return text;
}
