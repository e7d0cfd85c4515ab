/** The command line of `npm run mutants`. */
import { parseArgs } from 'node:util';

export const HELP = `npm run mutants -- [options]

Changes the sources at random places, one at a time, and tells which changes no test notices.

  --count N      so many mutants (default 30)
  --seed N       the same seed chooses the same mutants of the same sources (default: by the clock; printed)
  --only PATH    only this file or folder of src or migrations/functions
  --again FILE   instead of a sample, the mutants of an earlier --json, found by their line's text
  --tests N      ask at most N test files per mutant, those nearest to it (default 24)
  --whole        ask all that npm test runs
  --workers N    so many at once (default 2)
  --json FILE    append each result to FILE, a line of JSON each; what it has already is not judged again
  --list         print the mutants and their tests without running anything
  --help

A survivor is a missing test, code that does nothing, or equivalent: then it belongs in scripts/mutants/equivalent.jsonl, with the reason.
Needs Linux and root (or user namespaces): mutants run confined. Exits 1 if there are survivors.
`;

export interface Options {
  readonly help: boolean;
  readonly count: number;
  readonly seed: number;
  readonly only: string | null;
  readonly again: string | null;
  readonly tests: number;
  readonly whole: boolean;
  readonly workers: number;
  readonly json: string | null;
  readonly list: boolean;
}

/** Errors: an unknown option, or a number that is not one. */
export function readOptions(args: readonly string[], nowMs: number): Options {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      count: text,
      seed: text,
      only: text,
      again: text,
      tests: text,
      workers: text,
      json: text,
      whole: flag,
      list: flag,
      help: flag,
    },
  });
  const { only = null, again = null, json = null, whole, list, help } = values;
  const number = (name: 'count' | 'seed' | 'tests' | 'workers', otherwise: number): number => {
    const value = values[name];
    if (value !== undefined && !/^\d+$/.test(value)) throw new Error(`--${name} is a number, and not ${value}`);
    return value === undefined ? otherwise : Number(value);
  };
  return {
    only,
    again,
    json,
    whole,
    list,
    help,
    count: number('count', 30),
    seed: number('seed', nowMs % 1_000_000),
    tests: number('tests', 24),
    workers: number('workers', 2),
  };
}
