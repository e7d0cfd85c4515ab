import { type Output, styled } from './output.ts';
import { heading } from './show-outcome.ts';

/** A command that a person may run next. */
export interface NextCommand {
  readonly command: string;
  readonly does: string;
}

/** An empty line, a title, and the commands to copy, each below what it does. */
export function showNext(output: Output, commands: readonly NextCommand[], title = 'Next'): void {
  heading(output, title);
  for (const { command, does } of commands) {
    output.line(styled(`  # ${does}`, 'dim'));
    output.copyable(`  ${command}`);
  }
}
