/** The tests that judge a mutant, the likeliest to notice it first. */
import { globSync, readFileSync } from 'node:fs';
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
  readonly words: ReadonlySet<string>;
}

/** The test files that may judge. */
export function readCandidates(root: string): Candidate[] {
  const tests = globSync('tests/**/*.test.ts', { cwd: root, exclude: [...SLOW, ...OF_TEXTS] });
  return tests.map((test) => {
    const source = readFileSync(join(root, test), 'utf8');
    return { test, cost: costOf(source), words: new Set(wordsOf(source)) };
  });
}

export function chooseTests(mutant: Mutant, { reach, candidates, most, whole }: TestChoice): string[] {
  const { file, start } = mutant;
  const object = file.endsWith('.sql') ? objectAt(reach, file, start) : null;
  const away = distances(reach, object === null ? file : `sql ${object}`);
  const stems = stemsOf(`${basename(file)} ${object ?? ''}`);
  const rare = rareWords(mutant, candidates);
  const score = ({ test, words }: Candidate): number => {
    // What an upgrade runs once has no name, and is reached by nothing.
    const distance = away.get(test) ?? (file.endsWith('.sql') && object === null && isOfStore(test) ? 9 : Infinity);
    const alike = stemsOf(basename(test)).some((stem) => stems.includes(stem)) ? 1 : 0;
    const said = Math.max(0, ...rare.flatMap(({ word, weight }) => (words.has(word) ? weight : [])));
    if (file.endsWith('.sql')) return distance - (isOfStore(test) ? 1.5 : 0) - 2 * alike - said;
    return mirrorScore(file.replace(/^src\//, 'tests/'), test, distance) - alike - said;
  };
  const tests = candidates
    .map((each) => ({ ...each, score: score(each) }))
    .toSorted((a, b) => a.score - b.score || a.cost - b.cost || (a.test < b.test ? -1 : 1));
  const reaching = tests.filter((each) => each.score < Infinity);
  return (whole ? tests : reaching.slice(0, most)).map(({ test }) => test);
}

function isOfStore(test: string): boolean {
  return test.startsWith('tests/store/');
}

/** Words of the line that few tests contain, which are likely to be about it. */
function rareWords({ in: line }: Mutant, candidates: readonly Candidate[]): { word: string; weight: number }[] {
  return [...new Set(wordsOf(line))].flatMap((word) => {
    const count = candidates.filter(({ words }) => words.has(word)).length;
    const weight = count <= 3 ? 3 : count <= 12 ? 2 : count <= 40 ? 1 : 0;
    return weight === 0 ? [] : { word, weight };
  });
}

function wordsOf(text: string): string[] {
  return (text.match(/[a-z]{4,}/gi) ?? []).map((word) => word.toLowerCase());
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
function costOf(source: string): number {
  return source.length * (/daemon|process|cli/i.test(source) ? 4 : 1);
}
