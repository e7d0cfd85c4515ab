/** Variables that make a shell, or the programs that it starts, run something. */
import { UNKNOWN } from '../text/wildcard.ts';
import { WITHIN_WORD } from './options.ts';

/** Of the shell itself, of the loader of programs, and of programs that are known to run nothing else without them. */
const RUNS_SOMETHING =
  /^(PATH|HOME|ENV|BASH.*|SHELLOPTS|PS\d|PROMPT_COMMAND|EXECIGNORE|LD_.*|DYLD_.*|GIT_.*|XDG_.*|GCONV_PATH|LOCPATH|NLSPATH|GLIBC_.*|RIPGREP_.*|CURL_.*|TAR_.*|AWK.*|POSIXLY_CORRECT|LESS.*)$/;

/** Variables whose value programs run as a command. */
export const COMMAND_VALUE = /(COMMAND|PAGER|EDITOR|VISUAL|SSH|BROWSER|ASKPASS|SHELL|DIFF)$/;

/** Uppercase variables that may be given to any program. */
const PASSED_ON =
  /^(IFS|LANG|LANGUAGE|LC_\w+|TZ|CI|DEBUG|NO_COLOR|FORCE_COLOR|CLICOLOR|TERM|COLUMNS|LINES|VERBOSE|LOG_LEVEL|NODE_ENV|RUST_LOG)$/;

/** False for a name that is not known, and for one whose value makes a shell or a program run something. */
export function isOrdinaryVariable(name: string): boolean {
  return (
    !name.includes(UNKNOWN) && !name.includes(WITHIN_WORD) && !RUNS_SOMETHING.test(name) && !COMMAND_VALUE.test(name)
  );
}

/** True for one that may be given to any program: programs have their own names for what they run, so only these are. */
export function isExportable(name: string): boolean {
  return /^[a-z_][a-z0-9_]*$/.test(name) || PASSED_ON.test(name);
}
