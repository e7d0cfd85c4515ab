import { maskSecrets } from '../secrets/secrets.ts';
import { AnimusError, type ErrorCode, type ErrorDetails } from './errors.ts';

/** One thing wrong with what a person wrote. Problems are collected, so that all of them can be shown at once. */
export interface Problem {
  readonly code: ErrorCode;
  /** The file, or `environment`. */
  readonly file: string;
  /** 1-based; null where no line is to blame. */
  readonly line: number | null;
  /** Dotted, as it would be written in TOML; null where the whole file is meant. */
  readonly key: string | null;
  /** One line naming file, line, key, expectation and value, as they apply. */
  readonly message: string;
  /** What filled the message: with `code`, enough to throw it. */
  readonly details: ErrorDetails;
}

/** Where a problem is. */
export interface Place {
  readonly file: string;
  readonly line: number | null;
  readonly key: string | null;
}

/** Makes a problem whose message is that of its row in the error table; `{file}` there becomes `file:line`. */
export function problemAt(code: ErrorCode, place: Place, details: ErrorDetails = {}): Problem {
  const file = place.line === null ? place.file : `${place.file}:${place.line}`;
  const error = new AnimusError(code, { ...details, file, key: place.key ?? '' });
  return { code, ...place, message: error.message, details: error.details };
}

/** The problems as a list, one a line, in order of file and line. */
export function listProblems(problems: readonly Problem[]): string {
  return problems
    .toSorted((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : (a.line ?? 0) - (b.line ?? 0)))
    .map((problem) => `  ${problem.message}`)
    .join('\n');
}

/** A value as a message shows it: TOML-like, on one line, at most 60 characters. */
export function showValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value instanceof Date) return `the date ${value.toISOString()}`;
  // A key pasted where the name of its variable belongs must not be printed.
  const text = typeof value === 'number' ? String(value) : maskSecrets(JSON.stringify(value));
  return text.length <= 60 ? text : `${text.slice(0, 57)}...`;
}
