/** Mutants that behave like the source, with the reason, in equivalent.jsonl. */
import { readFileSync } from 'node:fs';
import { keyOf, type MutantKey } from './mutant.ts';

interface Equivalent extends MutantKey {
  readonly why: string;
}

const FILE = new URL('equivalent.jsonl', import.meta.url);

export function readEquivalents(file: URL = FILE): ReadonlyMap<string, string> {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return new Map(lines.map((line) => JSON.parse(line) as Equivalent).map((each) => [keyOf(each), each.why]));
}
