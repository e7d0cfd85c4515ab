/** Whether a pattern matches a command line. */
import { fit, UNKNOWN } from '../text/wildcard.ts';
import { commandsOf, type FoundCommands } from './commands-of.ts';
import { commandText, plainCommand } from './plain-command.ts';
import { programName, runsOthers } from './runners.ts';
import { whatRuns } from './what-runs.ts';

/** A command line that is compared with patterns; it is read once for all of them. */
export interface CommandLine {
  /** True if the line is one plain command that the pattern fits as a whole, so that nothing else can run. */
  allowedBy(pattern: string): boolean;
  /**
   * How the pattern fits any command that the line could run. `maybe`: that depends on what is only known when it runs. `more`: it fits none that
   * can be seen, but programs of the line may run others.
   */
  touchedBy(pattern: string): 'yes' | 'maybe' | 'more' | 'no';
  /** Why it is not known what the line runs, for people; null if it is known. */
  readonly unclear: string | null;
}

/** Reads the line when it is first compared. */
export function commandLine(line: string): CommandLine {
  const words = plainCommand(line);
  let found: FoundCommands | undefined;
  const commands = () => (found ??= commandsOf(line));
  return {
    allowedBy: (pattern) => words !== null && allows(pattern, words),
    touchedBy: (pattern) => touches(pattern, commands()),
    get unclear() {
      return commands().unclear ?? commands().more;
    },
  };
}

/** A star in place of the name allows what is known to run nothing else: `* --version` is not meant to allow `sh -c … --version`. */
function allows(pattern: string, words: readonly string[]): boolean {
  const name = pattern.split(' ', 1)[0]!;
  if (name.includes('*') && runsOthers(programName(words[0]!))) return false;
  // `*` alone means any program that is not there to run others.
  if (name.startsWith('*') && pattern !== '*' && whatRuns(words).kind !== 'itself') return false;
  return fit(pattern, commandText(words)) === 'yes';
}

function touches(pattern: string, { commands, unclear, more }: FoundCommands): 'yes' | 'maybe' | 'more' | 'no' {
  const lower = withLowerName(pattern);
  let result: 'maybe' | 'more' | 'no' = unclear !== null ? 'maybe' : more !== null ? 'more' : 'no';
  for (const { text, remote } of commands) {
    const fits = [fitOfText(pattern, text), fitOfText(lower, withLowerName(text))];
    if (fits.includes('yes') && !remote) return 'yes';
    if (fits.some((how) => how !== 'no')) result = 'maybe';
  }
  return result;
}

/** An expansion without quotes may give no word or several, so the spaces beside it are a part of what is unknown. */
function fitOfText(pattern: string, text: string): 'yes' | 'maybe' | 'no' {
  const how = fit(pattern, text);
  if (how !== 'no' || !text.includes(UNKNOWN)) return how;
  const joined = text.replaceAll(` ${UNKNOWN}`, UNKNOWN).replaceAll(`${UNKNOWN} `, UNKNOWN);
  return fit(pattern, joined) === 'no' ? 'no' : 'maybe';
}

/** Some file systems find `GIT` as `git`. */
function withLowerName(text: string): string {
  const end = text.indexOf(' ');
  return end < 0 ? text.toLowerCase() : text.slice(0, end).toLowerCase() + text.slice(end);
}
