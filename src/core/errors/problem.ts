import { maskSecrets } from '../secrets/secrets.ts';
import type { DetailsArguments, ErrorDetails } from './error-details.ts';
import type { ErrorCode } from './error-table.ts';
import { errorOf } from './errors.ts';

/** A mistake in a file or variable that a person wrote. Problems are collected, so that all of them are shown at once. */
export interface Problem {
  readonly code: ErrorCode;
  /** The file, or `environment`. */
  readonly file: string;
  /** 1-based; null if the problem has no line. */
  readonly line: number | null;
  /** The dotted key as written in TOML; null if the whole file is wrong. */
  readonly key: string | null;
  /** One line with file, line, key, expectation and value, as far as they apply. */
  readonly message: string;
  /** The values in the message; together with `code`, enough to throw an AnimusError. */
  readonly details: ErrorDetails;
}

/** The place of a problem. */
export interface Place {
  readonly file: string;
  readonly line: number | null;
  readonly key: string | null;
}

/** The place of a key whose `origin` is `file:line`; without a line where it comes from elsewhere, such as its default. */
export function placeAt(origin: string | undefined, file: string, key: string): Place {
  const line = origin?.startsWith(`${file}:`) ? Number(origin.slice(file.length + 1)) : null;
  return { file, line, key };
}

/** Creates a problem with the message from the error table; `{file}` there becomes `file:line`. */
export function problemAt<Code extends ErrorCode>(
  code: Code,
  place: Place,
  ...[details]: DetailsArguments<Code, 'file' | 'key'>
): Problem {
  const file = place.line === null ? place.file : `${place.file}:${place.line}`;
  const error = errorOf(code, { ...details, file, key: place.key ?? '' });
  return { code, ...place, message: error.message, details: error.details };
}

/** Lists the problems, one per line, ordered by file and line. */
export function listProblems(problems: readonly Problem[]): string {
  return problems
    .toSorted((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : (a.line ?? 0) - (b.line ?? 0)))
    .map((problem) => `  ${problem.message}`)
    .join('\n');
}

/** A value for a message: TOML-like, on one line, at most 60 characters. */
export function showValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value instanceof Date) return `the date ${value.toISOString()}`;
  // Mask a key that was pasted in place of the name of its variable.
  const text = typeof value === 'number' ? String(value) : maskSecrets(JSON.stringify(value));
  return text.length <= 60 ? text : `${text.slice(0, 57)}...`;
}
