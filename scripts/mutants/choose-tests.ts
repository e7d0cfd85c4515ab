/** The tests that judge a mutant, the likeliest to notice it first. */
import { globSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Mutant } from './mutant.ts';
import { distances, objectAt, type Reach } from './reach.ts';

/** Suites that need minutes or an engine. */
const SLOW = ['e2e', 'security', 'docs', 'docker', 'package', 'soak', 'bench'].map((suite) => `tests/${suite}/**`);
/** Tests that compare the text of sources with a page or a generated file: they notice any change of the text, and say nothing of what it does. */
const OF_TEXTS = [
  'tests/store/migrations/{called-functions,function-map,literals,privileges,schema}.test.ts',
  'tests/{client/generated,support/suites}.test.ts',
  'tests/scripts/**',
];

export interface TestChoice {
  readonly reach: Reach;
  readonly candidates: readonly Candidate[];
  /** At most so many files, unless `whole`. */
  readonly most: number;
  /** All tests but slow ones, after those that reach the mutant. */
  readonly whole: boolean;
}

interface Candidate {
  readonly test: string;
  /** Of two that are as near, the cheaper one is first. */
  readonly cost: number;
}

/** The test files that may judge. */
export function readCandidates(root: string): Candidate[] {
  const tests = globSync('tests/**/*.test.ts', { cwd: root, exclude: [...SLOW, ...OF_TEXTS] });
  return tests.map((test) => ({ test, cost: costOf(join(root, test)) }));
}

export function chooseTests({ file, start }: Mutant, { reach, candidates, most, whole }: TestChoice): string[] {
  const object = file.endsWith('.sql') ? objectAt(reach, file, start) : null;
  const away = distances(reach, object === null ? file : `sql ${object}`);
  const stems = stemsOf(`${basename(file)} ${object ?? ''}`);
  const score = (test: string): number => {
    const distance = away.get(test) ?? Infinity;
    const alike = stemsOf(basename(test)).some((stem) => stems.includes(stem)) ? 1 : 0;
    if (object !== null) return distance - (test.startsWith('tests/store/') ? 1.5 : 0) - 2 * alike;
    return mirrorScore(file.replace(/^src\//, 'tests/'), test, distance) - alike;
  };
  const tests = candidates
    .map((each) => ({ ...each, score: score(each.test) }))
    .toSorted((a, b) => a.score - b.score || a.cost - b.cost || (a.test < b.test ? -1 : 1));
  const reaching = tests.filter((each) => each.score < Infinity);
  return (whole ? tests : reaching.slice(0, most)).map(({ test }) => test);
}

/** Tests in the room of the source come first, and before them those that begin with its name; a room without tests has those of the room around it. */
function mirrorScore(mirror: string, test: string, distance: number): number {
  const above = stepsUp(dirname(mirror), dirname(test));
  if (above === Infinity) return distance;
  const named = above === 0 && basename(test).startsWith(basename(mirror, '.ts')) ? 10 : 0;
  return Math.min(distance, 4 + above) - 1.5 / (above + 1) - named;
}

/** The beginnings of the words of a name: `approvals` and `approve` have the same. */
function stemsOf(name: string): string[] {
  return name.split(/[^a-z]/).flatMap((word) => (word.length >= 4 && word !== 'test' ? word.slice(0, 6) : []));
}

/** How many folders `above` is above the room; Infinity if it is elsewhere, or all of the tests. */
function stepsUp(room: string, above: string): number {
  if (above === 'tests' || !`${room}/`.startsWith(`${above}/`)) return Infinity;
  return room.split('/').length - above.split('/').length;
}

/** A guess: long files take long, and those that start a daemon or a process longer. */
function costOf(path: string): number {
  const source = readFileSync(path, 'utf8');
  return statSync(path).size * (/daemon|process|cli/i.test(source) ? 4 : 1);
}
