/** What a model reads of a command in the background. The engine also reads the first line: `openCommands`. */
import { type ToolContext, type ToolOutput, toolError } from '../tool.ts';
import type { BackgroundCommand } from './background-command.ts';
import { headline, sections } from './command-report.ts';

/** The beginning of what is said about a command: its id, and whether it runs or has ended. */
export const COMMAND_LINE = /^(bg_[0-9a-f]{6}) (runs in the background|is running|ended)\b/m;

/** Its state and what it has printed since the last look. A command that has ended is forgotten. */
export function commandOutput(
  command: BackgroundCommand,
  state: 'runs in the background' | 'is running',
  { background }: Pick<ToolContext, 'background'>,
): ToolOutput {
  const { id } = command;
  const end = command.end();
  const seconds = Math.round(command.ranMs() / 100) / 10;
  const output = sections(command.take());
  if (end === null) {
    const content = [`${id} ${state} (${seconds} s)`, ...(output.length > 0 ? output : ['(no new output)'])].join('\n');
    return { content, details: { id, running: true } };
  }
  background.forget(id);
  const content = [`${id} ended after ${seconds} s: ${headline(end, command.timeoutMs)}`, ...output].join('\n');
  const details = { id, running: false, ended: end.ended, exitCode: end.exitCode, signal: end.signal };
  if (end.ended === 'exit' && end.exitCode === 0) return { content, details };
  return { ...toolError(content, details), ...(end.ended === 'interrupted' && { inDoubt: true }) };
}

/** One line per command. */
export function commandList(commands: readonly BackgroundCommand[]): string {
  if (commands.length === 0) return 'no command is running in the background';
  return commands
    .map((each) => {
      const command = each.command.replace(/\s+/g, ' ').trim();
      const shown = command.length > MAX_SHOWN ? `${command.slice(0, MAX_SHOWN).toWellFormed()}…` : command;
      const end = each.end();
      const state = end === null ? 'is running' : `ended (${headline(end, each.timeoutMs)})`;
      return `${each.id} ${state}: ${shown}`;
    })
    .join('\n');
}

const MAX_SHOWN = 100;
