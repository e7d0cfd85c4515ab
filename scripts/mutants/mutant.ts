/** A mutant: the source with one small change. */
import { basename } from 'node:path';

/** Replaces `text`, which begins at the offset `start` of a source. */
export interface Change {
  readonly start: number;
  readonly text: string;
  readonly replacement: string;
  /** What kind of change it is: `boundary`, `condition`, … */
  readonly operator: string;
}

export interface Mutant extends Change {
  /** Relative to the root of the repository, with `/`. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** The line where it begins, without its indentation: with it, a mutant is found again after the file has changed elsewhere. */
  readonly in: string;
}

/** What names a mutant in reports and lists. */
export type MutantKey = Pick<Mutant, 'file' | 'in' | 'text' | 'replacement'>;

/** Of the file it has only the name: files move. */
export function keyOf({ file, in: line, text, replacement }: MutantKey): string {
  return JSON.stringify([basename(file), line, text, replacement]);
}

/** The changes of a file as its mutants, in the order of the file. Changes that occur twice are there once. */
export function mutantsOf(file: string, source: string, changes: readonly Change[]): Mutant[] {
  const seen = new Map<string, Mutant>();
  for (const change of changes) {
    if (change.text === change.replacement) continue;
    const key = `${change.start} ${change.text.length} ${change.replacement}`;
    if (!seen.has(key)) seen.set(key, { ...change, file, ...lineAt(source, change.start) });
  }
  return [...seen.values()].toSorted((a, b) => a.start - b.start);
}

/** The source with the change. Errors: the source has another text there. */
export function applyMutant(source: string, { start, text, replacement, file, line }: Mutant): string {
  const end = start + text.length;
  if (source.slice(start, end) !== text) throw new Error(`${file}:${line} has changed`);
  return source.slice(0, start) + replacement + source.slice(end);
}

function lineAt(source: string, offset: number): { readonly line: number; readonly in: string } {
  const before = source.slice(0, offset).split('\n');
  const rest = source.slice(offset).split('\n', 1)[0] ?? '';
  return { line: before.length, in: `${before.at(-1)}${rest}`.trim() };
}
