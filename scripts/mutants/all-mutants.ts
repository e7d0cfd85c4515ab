/** Every mutant of the sources. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { keyOf, type Mutant, type MutantKey, mutantsOf } from './mutant.ts';
import { sqlChanges } from './sql-mutants.ts';
import { typeScriptChanges } from './typescript-mutants.ts';

/** What is written by a program, or is data of a demo. */
const NOT_OURS = ['src/client/api/**', 'src/cli/demo/workspace/**'];

/** By file and place. `only`: a file or folder, such as `src/core`; null: all. */
export function allMutants(root: string, only: string | null): Mutant[] {
  const files = globSync(['src/**/*.ts', 'migrations/functions/**/*.sql'], { cwd: root, exclude: NOT_OURS }).toSorted();
  return files
    .filter((file) => only === null || file === only || file.startsWith(`${only.replace(/\/$/, '')}/`))
    .flatMap((file) => {
      const source = readFileSync(join(root, file), 'utf8');
      return mutantsOf(file, source, file.endsWith('.sql') ? sqlChanges(source) : typeScriptChanges(source));
    });
}

/** Finds mutants of an earlier report. One that occurs twice in its line is the first one there; one whose line is gone is left out. */
export function mutantsAgain(all: readonly Mutant[], wanted: readonly MutantKey[]): Mutant[] {
  const byKey = new Map(all.toReversed().map((mutant) => [keyOf(mutant), mutant]));
  return wanted.flatMap((key) => byKey.get(keyOf(key)) ?? []);
}
