/** The error class of animus, and helpers for anything that is thrown. */
import type { DetailsArguments, DetailsOf, ErrorDetails } from './error-details.ts';
import { ERRORS, type ErrorCode } from './error-table.ts';

/** The error class of animus, for failures that callers do not handle as values. */
export class AnimusError<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'AnimusError';
  readonly code: Code;
  readonly details: ErrorDetails;

  constructor(code: Code, ...given: [...DetailsArguments<Code>, options?: ErrorOptions]) {
    const [details = {}, options] = given as readonly unknown[] as [details?: ErrorDetails, options?: ErrorOptions];
    super(fill(ERRORS[code].message, details), options);
    this.code = code;
    this.details = details;
  }

  get retryable(): boolean {
    return ERRORS[this.code].retryable;
  }

  get exitCode(): number {
    return ERRORS[this.code].exit;
  }

  get httpStatus(): number {
    return ERRORS[this.code].http;
  }
}

/** The error of a code and details that were made together elsewhere: in SQL, in another process, in a list of problems. */
export function errorOf(code: ErrorCode, details: ErrorDetails, options: ErrorOptions = {}): AnimusError {
  return new AnimusError<ErrorCode>(code, details as DetailsOf<ErrorCode>, options);
}

/** The error of a wrong use: of a command, an option or a message. */
export function usageError(detail: string, cause?: unknown): AnimusError {
  return new AnimusError('usage.invalid', { detail }, cause === undefined ? {} : { cause });
}

/** True for an AnimusError; with `codes`, only for one of these codes. */
export function isAnimusError(error: unknown, ...codes: ErrorCode[]): error is AnimusError {
  return error instanceof AnimusError && (codes.length === 0 || codes.includes(error.code));
}

/** The messages of undici's errors that only their causes explain: before an answer, and in the middle of one. */
const OF_FETCH: ReadonlySet<string> = new Set(['fetch failed', 'terminated']);

/** The message of anything thrown, on one line; that of its `cause` if it has none, or none but that of `fetch`. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message && !(error.cause && OF_FETCH.has(error.message))) return error.message;
  // Node's AggregateError for a failed connect has an empty message; the details are in `errors`.
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ');
  return error.cause ? messageOf(error.cause) : error.name;
}

/** The same for a file system error, without the path, which the message names already: `no such file or directory (ENOENT)`. */
export function fileFault(error: unknown): string {
  const message = messageOf(error);
  const [, code, what] = /^(E[A-Z]+): (.*?), \w+(?: '.*')?$/.exec(message) ?? [];
  return what === undefined ? message : `${what} (${code})`;
}

function fill(template: string, details: ErrorDetails): string {
  return template.replace(/\{(\w+)\??\}/g, (_, name: string) => {
    const value = details[name];
    if (value === undefined) return '';
    return typeof value === 'string' ? value : JSON.stringify(value);
  });
}
