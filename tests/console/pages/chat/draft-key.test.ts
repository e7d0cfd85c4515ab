import { expect, test } from 'vitest';
import { draftKey } from '../../../../src/console/pages/chat/draft-key.ts';

test('a draft is its author’s, and its conversation’s', () => {
  const keys = [
    draftKey('person:olga', 'new'),
    draftKey('person:ben', 'new'),
    draftKey('person:olga', 'c1'),
    draftKey('person:ben', 'c1'),
  ];
  expect(new Set(keys).size).toBe(4);
  expect(draftKey('person:olga', 'new')).toBe(keys[0]);
});
