import { expect, test } from 'vitest';
import { plainCommand } from '../../../../src/core/permissions/command/plain-command.ts';

test.each([
  [' git log\t-1 ', ['git', 'log', '-1']],
  ['echo \'a b\' "c"', ['echo', 'a b', 'c']],
  ['ls *.ts', ['ls', '*.ts']],
  ["echo 'a\nb'", null],
  ["echo 'a\u0007'", null],
  ["echo 'a\u0085'", null],
  ["echo '\ud800'", null],
  ['echo é', null],
  ["echo 'é'", ['echo', 'é']],
  ['a; b', null],
  ['A=b c', null],
  ['if x', null],
  ['', null],
])('%j has the words %j', (line, words) => {
  expect(plainCommand(line)).toEqual(words);
});
