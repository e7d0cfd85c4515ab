import * as parser from 'unbash';
import { expect, test } from 'vitest';
import { commandParts, readCommand } from '../../../../src/console/ui/ask/command-parts.ts';

const shown = (line: string) =>
  commandParts(parser, line).parts.map(
    ({ before, depth, words }) =>
      `${depth} ${before} ${words.map(({ is, text, open }) => `${is}${open ? '?' : ''}:${text}`).join(' | ')}`,
  );

test('takes a line apart, word by word, without quotes', () => {
  expect(shown('git push -u "my branch"')).toEqual(['0  program:git | word:push | option:-u | word:my branch']);
  expect(shown("g\\it pu''sh $'\\x41'")).toEqual(['0  program:git | word:push | word:A']);
});

test('shows how commands are joined, and what stands inside of others', () => {
  expect(shown('cd a && npm test | tail > out; rm -rf "$(cat list)"')).toEqual([
    '0  program:cd | word:a',
    '0 && program:npm | word:test',
    '0 | program:tail | file:> out',
    '0 ; program:rm | option:-rf | word?:"$(cat list)"',
    '1 $( program:cat | word:list',
  ]);
  expect(shown('for f in *; do rm $f; done')).toEqual(['1 for f in *; do program:rm | word?:$f']);
});

test('what is only known when it runs is marked', () => {
  expect(shown('A=1 ls ~ *.txt "a$B" \'$C\'')).toEqual([
    '0  set:A=1 | program:ls | word?:~ | word?:*.txt | word?:"a$B" | word:$C',
  ]);
  expect(shown('cat <<E > $x\nbody\nE')).toEqual(['0  program:cat | file:<<E\nbody\n | file?:> $x']);
});

test('says if the parts may not be all', () => {
  expect(commandParts(parser, 'ls "unclosed').problem).toBe('invalid');
  expect(commandParts(parser, 'ls').problem).toBeNull();
  expect(commandParts(parser, 'x'.repeat(30_000))).toEqual({ parts: [], problem: 'long' });
  expect(commandParts(parser, 'cat <<A '.repeat(100)).problem).toBe('long');
  expect(commandParts(parser, '(ls) ; '.repeat(200)).problem).toBe('long');
  expect(commandParts(parser, `${'$('.repeat(200)}ls${')'.repeat(200)}`).problem).not.toBeNull();
});

test('a hostile line takes no long time', async () => {
  const begun = process.cpuUsage();
  for (const part of ['"$(', '${a', '((', '`', 'a|', '{', 'if ', '<<a\n', '$((1+', "'", '\\\n', 'case x in ']) {
    await readCommand(part.repeat(Math.floor(19_000 / part.length)));
  }
  const { user, system } = process.cpuUsage(begun);
  expect((user + system) / 1000).toBeLessThan(10_000);
});
