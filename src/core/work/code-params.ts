/** The parameters of a work item that runs code (engage mode `code`): the same for SQL, the command line and HTTP. */
import { z } from 'zod';

const MAX_CODE_CHARS = 262_144;
/** Linux takes no argument of 128 KiB or more, and a character has up to four bytes. */
const MAX_ARGUMENT_CHARS = 32_000;
const MAX_ARGUMENTS = 1000;
const MAX_COMMAND_CHARS = 100_000;

const argument = () =>
  z
    .string()
    .max(MAX_ARGUMENT_CHARS)
    .refine((text) => !text.includes('\0'), 'must not contain the character NUL');
const TOO_LONG = `expected a program and its arguments, with at most ${MAX_COMMAND_CHARS} characters`;

/** The message for parameters of which `oneOfBoth` is false. */
export const EITHER = 'expected either code or command, and not both';

/** The fields, for schemas that have more of them. Exactly one of `code` and `command` is there: `oneOfBoth` says so. */
export const CODE_FIELDS = {
  code: z
    .string()
    .min(1)
    .max(MAX_CODE_CHARS)
    .optional()
    .describe('Python 3; return at the top level ends it with a value'),
  command: z
    .union([argument().min(1), z.array(argument()).min(1).max(MAX_ARGUMENTS).refine(isCommand, TOO_LONG)])
    .optional()
    .describe('a command line for sh, or a program with its arguments'),
  timeout_seconds: z
    .number()
    .positive()
    .optional()
    .describe('time-out in seconds, at most that of the faculty, which is the default'),
};

/** What the item's `params` may be. */
export const codeParams = z.strictObject(CODE_FIELDS).refine(oneOfBoth, EITHER);

/** Parsed parameters. */
export type CodeParams = z.output<typeof codeParams>;

/** Whether there is either code or a command. */
export function oneOfBoth({ code, command }: { readonly code?: unknown; readonly command?: unknown }): boolean {
  return (code === undefined) !== (command === undefined);
}

function isCommand(command: readonly string[]): boolean {
  return command[0] !== '' && command.join(' ').length <= MAX_COMMAND_CHARS;
}

/** One line that says what is run, for lists of work: the beginning of the command or of the code. */
export function describeCode({ code, command }: CodeParams): string {
  const text = code ?? (typeof command === 'string' ? command : (command ?? []).join(' '));
  const line = text.trim().split('\n', 1)[0]!.trim();
  const shown = line.length <= 100 ? line : `${line.slice(0, 99).toWellFormed()}…`;
  return `${code === undefined ? 'Run' : 'Run Python:'} ${shown}`.replaceAll('\0', ' ');
}
