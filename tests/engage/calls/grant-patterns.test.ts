import { expect, it } from 'vitest';
import type { GatedCall } from '../../../src/engage/calls/gate.ts';
import { grantCovers } from '../../../src/engage/calls/permission-gate.ts';
import { toolset } from '../../../src/tools/registry.ts';

function call(tool: string, input: object): GatedCall {
  const scope = { workspace: '/nowhere', isolation: 'namespace' };
  return { tool: toolset(['bash', 'write_file']).get(tool), input, scope } as unknown as GatedCall;
}

it.each([
  ['git push *', true],
  ['bash(git push *)', true],
  ['*', true],
  ['git pull *', false],
  ['bash', false],
  ['bash(', false],
  ['write_file(path=**)', false],
  ['', false],
])('a grant of %j for git push: %s', (pattern, expected) => {
  expect(grantCovers(pattern, call('bash', { command: 'git push origin' }))).toBe(expected);
  expect(grantCovers(pattern, call('bash', { command: 'git push origin; rm x' }))).toBe(false);
});

it('a grant for fields of an input', () => {
  expect(grantCovers('path=docs/**', call('write_file', { path: 'docs/a' }))).toBe(true);
  expect(grantCovers('path=docs/**', call('write_file', { path: 'docs/../src/a' }))).toBe(false);
  expect(grantCovers('docs/**', call('write_file', { path: 'docs/a' }))).toBe(false);
});
