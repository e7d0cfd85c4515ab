/** What `npm run bench` is asked to do. */

export interface Asked {
  /** `all`, or the file of a benchmark. */
  readonly what: string;
  readonly quick: boolean;
  /** A revision to compare this tree with; null: none. */
  readonly against: string | null;
  /** How often this tree and that one take turns; a half is one run of each. */
  readonly times: number;
  readonly json: boolean;
  readonly keep: boolean;
  /** Arguments of the benchmark. */
  readonly rest: readonly string[];
}

/** Reads the arguments; a text says what is wrong. What is not known is passed on to the benchmark, except for `all`. */
export function readArguments(argv: readonly string[]): Asked | string {
  const [what = '', ...others] = argv;
  if (what !== 'all' && !what.endsWith('.ts')) {
    return 'expected "all", or the file of a benchmark, such as tests/bench/queue/run.ts';
  }
  let asked: Asked = { what, quick: false, against: null, times: 3, json: false, keep: false, rest: [] };
  for (let n = 0; n < others.length; n++) {
    const word = others[n]!;
    if (word === '--quick' && what === 'all') asked = { ...asked, quick: true };
    else if (word === '--json') asked = { ...asked, json: true };
    else if (word === '--keep') asked = { ...asked, keep: true };
    else if (word === '--against') asked = { ...asked, against: others[++n] ?? '' };
    else if (word === '--times') asked = { ...asked, times: Number(others[++n]) };
    else asked = { ...asked, rest: [...asked.rest, word] };
  }
  if (asked.against === '') return '--against: expected a revision, such as HEAD~1';
  if (!Number.isInteger(asked.times) || asked.times < 1) return '--times: expected a whole number from 1';
  if (what === 'all' && asked.rest.length > 0) return `all takes no ${asked.rest.join(' ')}`;
  if (asked.keep && (what !== 'all' || asked.quick))
    return '--keep: only the result of all is kept, and not a quick one';
  return asked;
}
