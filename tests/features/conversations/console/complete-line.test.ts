import { expect, test } from 'vitest';
import { completeLine } from '../../../../src/features/conversations/console/complete-line.ts';

test.each([
  ['one word, and the space after it', '/qu', 0, ['/quit', '/help'], 'it ', []],
  ['a directory, which goes on', '/attach s', 8, ['src/', 'tests/'], 'rc/', []],
  ['several, as far as they are the same', '/attach n', 8, ['notes.md', 'notes.txt'], 'otes.', []],
  ['several that differ at once', '/e', 0, ['/edit', '/export'], '', ['/edit', '/export']],
  ['none', '/x', 0, ['/quit'], '', []],
  ['characters of two units, never half of one', 'a', 0, ['a🦊1', 'a🦝1'], '', ['a🦊1', 'a🦝1']],
] as const)('completes %s', (_what, typed, from, words, insert, choices) => {
  expect(completeLine(typed, { from, words })).toEqual({ insert, choices });
});
