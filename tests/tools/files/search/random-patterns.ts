/** Random regular expressions and texts that they often match. */

export type Random = (below: number) => number;

/** Generates the same numbers for the same seed. */
export function generator(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return (state >> 8) % below;
  };
}

const ATOMS = [
  'a',
  'b',
  'c',
  'abc',
  'cab',
  'B',
  ' ',
  'ü',
  '.',
  '\\.',
  '\\(',
  '\\d',
  '\\w',
  '\\b',
  '[ab]',
  '[^c]',
  '[]a]',
  '\\x61',
  '(a)',
  '(?:ab|c)',
  '(?=a)',
  '(?!bc)',
  '{',
  'a{2}',
  '-',
  '\\t',
];
const QUANTIFIERS = ['', '', '', '', '*', '+', '?', '*?', '{0,2}', '{1}'];

/** A valid pattern of up to eight parts. */
export function randomPattern(random: Random): string {
  for (;;) {
    const parts = Array.from({ length: 1 + random(8) }, () => pick(ATOMS, random) + pick(QUANTIFIERS, random));
    const pattern = `${random(12) === 0 ? '^' : ''}${parts.join('')}${random(15) === 0 ? '|abc' : ''}`;
    try {
      return new RegExp(pattern).source;
    } catch {
      // Two quantifiers in a row, for example: try another one.
    }
  }
}

/** A line of the same letters; half of the lines contain `literal`. */
export function randomText(random: Random, literal = ''): string {
  const letters = Array.from({ length: random(14) }, () =>
    pick(['a', 'b', 'c', 'ab', 'abc', 'B', ' ', 'ü', '.', '(', '1', '-', '{', '\t'], random),
  );
  if (random(2) === 0) letters.splice(random(letters.length + 1), 0, literal);
  return letters.join('');
}

function pick<T>(from: readonly T[], random: Random): T {
  return from[random(from.length)]!;
}
