/** The time that a long command line takes grows with its length, whatever it is made of. */
import { expect, it } from 'vitest';
import { commandLine } from '../../../../src/core/permissions/command/command-fit.ts';

const PIECES: readonly string[] = [
  'a ',
  'a;',
  'a|',
  'a&&',
  'a\n',
  '(',
  '$(',
  '`',
  '"',
  "'",
  '"$(',
  '${',
  '${a:-',
  '$((',
  '((',
  '{',
  '{a,',
  '[[ ',
  'if ',
  'case a in ',
  '<<E ',
  'cat <<E\nx\nE\n',
  '<(',
  '@(',
  '\\',
  '$x',
  '$x ',
  '`a` ',
  '"$(a)" ',
  '[a',
  '*',
  'f(){ ',
  "'$(' ",
  "'`' ",
  'a=`',
  'é',
  '\u0000',
  '#',
  'sudo ',
  'env a ',
  'xargs -I{} {} ',
  'find -exec sudo ',
  'eval ',
  "eval 'eval ",
  'sh -c ',
  'sh -c "',
  'nice find -exec ',
  'git -c a ',
  "PAGER='a' ",
  "trap 'a b' X;",
  'sudo a;',
  'find -exec a \\; ',
  'eval a;',
  "watch 'a b';",
  'bash <<< a;',
  "sh -c 'eval a';",
  'git -a b c;',
];

it.each(PIECES)('of %j', (piece) => {
  const lineOf = (characters: number) => piece.repeat(Math.ceil(characters / piece.length)).slice(0, characters);
  const msOf = (characters: number) => {
    const line = lineOf(characters);
    const startedMs = process.cpuUsage().user;
    const read = commandLine(line);
    expect(read.allowedBy('a*b*c')).toBe(false);
    for (const pattern of ['git push*', '*a*b*c*d', 'rm -rf /*']) read.touchedBy(pattern);
    return (process.cpuUsage().user - startedMs) / 1000;
  };
  msOf(2000);
  const [short, long] = [msOf(4000), msOf(32_000)];
  // Eight times the length; quadratic work would take 64 times as long.
  expect(long / Math.max(short, 25)).toBeLessThan(30);
  // Longer than any system accepts: not read at all.
  expect(commandLine(lineOf(1_000_000)).unclear).toContain('too long');
});
