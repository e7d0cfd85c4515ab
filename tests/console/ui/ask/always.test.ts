import { expect, test } from 'vitest';
import { patternsOf, ruleOf } from '../../../../src/console/ui/ask/always.ts';

const call = (tool: string, input: object) => ({ kind: 'approval', subject: 'tool_call', request: { tool, input } });

test.each([
  ['git push -u origin HEAD', ['git push *', 'git *']],
  ['npm test', ['npm test *', 'npm *']],
  ['ls', ['ls *']],
  ['make -j4', ['make *']],
  ['npm test && rm x', []],
  ['echo "a b"', []],
  ['echo $HOME', []],
  ['sudo rm x', []],
  ['bash -c ls', []],
  ['ls \u202ex', []],
])('%s may be allowed with %j', (command, patterns) => {
  expect(patternsOf(call('bash', { command }))).toEqual(patterns);
});

test('a path may be allowed with its folder', () => {
  expect(patternsOf(call('write_file', { path: 'docs/a.md' }))).toEqual(['path=docs/a.md', 'path=docs/**']);
  expect(patternsOf(call('write_file', { path: 'a.md' }))).toEqual(['path=a.md']);
  expect(patternsOf(call('write_file', { path: '/a.md' }))).toEqual(['path=/a.md']);
  expect(patternsOf(call('write_file', { path: 'a*' }))).toEqual([]);
  expect(patternsOf(call('other', {}))).toEqual([]);
});

test('shows the rule as a faculty would have it', () => {
  expect(ruleOf(call('bash', { command: 'ls' }), 'ls *')).toBe('bash(ls *)');
  expect(ruleOf(call('bash', { command: 'ls' }), '')).toBeNull();
});
