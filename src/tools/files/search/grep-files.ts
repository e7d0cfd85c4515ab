/** Searches files line by line. Runs in the worker of grep, where an endless pattern does not block the daemon. */

import { accessSync, constants, lstatSync } from 'node:fs';
import { type Bounds, shownPath } from '../mounts.ts';
import { printableName } from '../printable-name.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import { MAX_FILE_BYTES, readTextFile, type TextFile } from '../text-file.ts';
import { resolveInside } from '../workspace.ts';
import { compileGlob } from './glob-pattern.ts';
import { walkFiles } from './walk.ts';

/** The pattern and the files to search. */
export interface GrepRequest extends Bounds {
  readonly path: string;
  readonly pattern: string;
  readonly ignoreCase: boolean;
  readonly glob: string | null;
  readonly maxMatches: number;
  /** A longer line is cut around its match. */
  readonly maxLineChars: number;
  /** Files below `path`, relative to it, that may contain a match or a NUL byte; no other file does. Null: any file may. */
  readonly only?: readonly string[] | null;
  /** Files in the database at or below `path`; default none. */
  readonly kept?: readonly KeptText[];
}

/** The text of a file in the database: `below` is its path relative to the start of the search, `shown` relative to the workspace. */
export interface KeptText {
  readonly below: string;
  readonly shown: string;
  readonly text: string;
}

/** `unread` are binary, too large or without permission. */
export interface GrepResult {
  readonly matches: readonly GrepMatch[];
  readonly files: number;
  readonly more: boolean;
  readonly unread: readonly string[];
}

/** A line that matches; `line` counts from 1. */
export interface GrepMatch {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

const MAX_UNREAD_NAMED = 10;

/** Searches a file, or all files below a directory. A refusal is for the model. */
export async function grepFiles(request: GrepRequest): Promise<GrepResult | Refusal> {
  const expression = compileExpression(request);
  if (isRefusal(expression)) return expression;
  const matches: GrepMatch[] = [];
  const unread: string[] = [];
  let files = 0;
  const only = request.only ? new Set(request.only) : null;
  for await (const candidate of candidates(request, unread)) {
    if (isRefusal(candidate)) return candidate;
    const { path, below, kept } = candidate;
    if (only && !kept && !only.has(below) && isReadableText(path)) {
      files++;
      continue;
    }
    const file = kept ?? (await readTextFile(request, path));
    if (isRefusal(file)) {
      if (unread.length < MAX_UNREAD_NAMED) unread.push(printableName(shownPath(request, path)));
      continue;
    }
    files++;
    for (const match of matchesIn(file, expression, request.maxLineChars)) {
      if (matches.length === request.maxMatches) return { matches, files, more: true, unread };
      matches.push(match);
    }
  }
  return { matches, files, more: false, unread };
}

/** Checks a file without a NUL byte, without opening it. Synchronous: this thread may block, and there are thousands of files. */
function isReadableText(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    const stats = lstatSync(path);
    return stats.isFile() && stats.size <= MAX_FILE_BYTES;
  } catch {
    // Reading it will report why.
    return false;
  }
}

function compileExpression({ pattern, ignoreCase }: GrepRequest): RegExp | Refusal {
  try {
    return new RegExp(pattern, ignoreCase ? 'i' : '');
  } catch (error) {
    return { refusal: `the pattern is not a valid regular expression: ${(error as Error).message}` };
  }
}

/** The files to search, by absolute path and by path relative to the start of the search, or a refusal. */
async function* candidates(
  request: GrepRequest,
  unread: string[],
): AsyncGenerator<{ readonly path: string; readonly below: string; readonly kept?: KeptText } | Refusal> {
  const matches = request.glob === null ? () => true : compileGlob(request.glob);
  const inside = await resolveInside(request, request.path);
  if (isRefusal(matches)) return yield matches;
  if (isRefusal(inside)) return yield inside;
  const { kept: texts = [] } = request;
  if (!inside.exists && texts.length === 0) return yield { refusal: `${inside.shown}: no such file or directory` };
  // They stand before real files of their paths.
  const taken = new Set(texts.map(({ below }) => below));
  for (const kept of texts) {
    if (kept.below === '' || matches(kept.below)) yield { path: '', below: kept.below, kept };
  }
  if (!inside.exists || taken.has('')) return;
  let isFile = false;
  const skipped = (at: string): void => {
    if (at === '') isFile = true;
    else if (unread.length < MAX_UNREAD_NAMED) unread.push(printableName(at));
  };
  for await (const file of walkFiles(request, inside.real, new AbortController().signal, skipped)) {
    if (!taken.has(file) && matches(file)) yield { path: `${inside.real}/${file}`, below: file };
  }
  if (isFile) yield { path: inside.real, below: '' };
}

function* matchesIn(file: Pick<TextFile, 'shown' | 'text'>, expression: RegExp, most: number): Generator<GrepMatch> {
  const path = printableName(file.shown);
  const lines = file.text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  for (const [index, line] of lines.entries()) {
    const match = expression.exec(line);
    if (match !== null) yield { path, line: index + 1, text: around(line, match.index, most) };
  }
}

/** Cuts a long line around its match. */
function around(line: string, at: number, most: number): string {
  if (line.length <= most) return line;
  const from = Math.max(0, Math.min(at - most / 3, line.length - most));
  const part = line.slice(from, from + most).toWellFormed();
  return `${from > 0 ? '…' : ''}${part}${from + most < line.length ? '…' : ''}`;
}
