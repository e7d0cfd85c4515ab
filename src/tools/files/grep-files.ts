/** Searches files line by line; runs in the worker of grep, where a pattern that never ends harms nobody. */

import { relative } from 'node:path';
import { compileGlob } from './glob-pattern.ts';
import { printableName } from './printable-name.ts';
import { isRefusal } from './refusal.ts';
import { readTextFile, type TextFile } from './text-file.ts';
import { walkFiles } from './walk.ts';
import { resolveInside } from './workspace.ts';

/** What to look for and where. */
export interface GrepRequest {
  readonly workspace: string;
  readonly path: string;
  readonly pattern: string;
  readonly ignoreCase: boolean;
  readonly glob: string | null;
  readonly maxMatches: number;
}

/** `lines` are `path:number:text`; `unread` are binary, too large or without permission. */
export interface GrepResult {
  readonly lines: readonly string[];
  readonly files: number;
  readonly more: boolean;
  readonly unread: readonly string[];
}

const MAX_LINE_CHARS = 300;
const MAX_UNREAD_NAMED = 10;

/** Searches a file, or all files below a directory. A refusal is for the model. */
export async function grepFiles(request: GrepRequest): Promise<GrepResult | { readonly refusal: string }> {
  const expression = compileExpression(request);
  if (isRefusal(expression)) return expression;
  const lines: string[] = [];
  const unread: string[] = [];
  let files = 0;
  for await (const path of candidates(request, unread)) {
    if (isRefusal(path)) return path;
    const file = await readTextFile(request.workspace, path);
    if (isRefusal(file)) {
      if (unread.length < MAX_UNREAD_NAMED) unread.push(printableName(relative(request.workspace, path)));
      continue;
    }
    files++;
    for (const line of matchesIn(file, expression)) {
      if (lines.length === request.maxMatches) return { lines, files, more: true, unread };
      lines.push(line);
    }
  }
  return { lines, files, more: false, unread };
}

function compileExpression({ pattern, ignoreCase }: GrepRequest): RegExp | { readonly refusal: string } {
  try {
    return new RegExp(pattern, ignoreCase ? 'i' : '');
  } catch (error) {
    return { refusal: `the pattern is no valid regular expression: ${(error as Error).message}` };
  }
}

/** Paths to search, absolute, or a refusal. */
async function* candidates(
  request: GrepRequest,
  unread: string[],
): AsyncGenerator<string | { readonly refusal: string }> {
  const matches = request.glob === null ? () => true : compileGlob(request.glob);
  const inside = await resolveInside(request.workspace, request.path);
  if (isRefusal(matches)) return yield matches;
  if (isRefusal(inside)) return yield inside;
  if (!inside.exists) return yield { refusal: `${inside.shown}: no such file or directory` };
  let isFile = false;
  const skipped = (at: string): void => {
    if (at === '') isFile = true;
    else if (unread.length < MAX_UNREAD_NAMED) unread.push(printableName(at));
  };
  for await (const file of walkFiles(request.workspace, inside.real, new AbortController().signal, skipped)) {
    if (matches(file)) yield `${inside.real}/${file}`;
  }
  if (isFile) yield inside.real;
}

function* matchesIn(file: TextFile, expression: RegExp): Generator<string> {
  const name = printableName(file.shown);
  const lines = file.text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  for (const [index, line] of lines.entries()) {
    const match = expression.exec(line);
    if (match !== null) yield `${name}:${index + 1}:${around(line, match.index)}`;
  }
}

/** A long line around its match. */
function around(line: string, at: number): string {
  if (line.length <= MAX_LINE_CHARS) return line;
  const from = Math.max(0, Math.min(at - MAX_LINE_CHARS / 3, line.length - MAX_LINE_CHARS));
  const part = line.slice(from, from + MAX_LINE_CHARS).toWellFormed();
  return `${from > 0 ? '…' : ''}${part}${from + MAX_LINE_CHARS < line.length ? '…' : ''}`;
}
