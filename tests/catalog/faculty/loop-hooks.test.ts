import { expect, test } from 'vitest';
import { isForTool } from '../../../src/catalog/faculty/loop-hooks.ts';

test.each([
  ['bash', 'bash', true],
  ['bash', 'bash_job', false],
  ['mcp_*', 'mcp_a_b', true],
  ['*_file', 'read_file', true],
  ['*_file', 'read_files', false],
  ['*ad*', 'adopt', true],
  ['*ad*', 'load', true],
  ['a*b*c', 'abc', true],
  ['a*b*c', 'ac', false],
  ['ab*ba', 'aba', false],
  ['*', 'x', true],
])('the pattern %s is for the tool %s: %s', (pattern, name, expected) => {
  expect(isForTool({ tools: [pattern] }, name)).toBe(expected);
});

test('a hook without patterns is for all tools, and one with several for those of any', () => {
  expect(isForTool({ tools: null }, 'bash')).toBe(true);
  expect(isForTool({ tools: [] }, 'bash')).toBe(false);
  expect(isForTool({ tools: ['x', 'b*'] }, 'bash')).toBe(true);
});
