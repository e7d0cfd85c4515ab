import { expect, test } from 'vitest';
import { titleOf } from '../../../src/terminal/view/show-asked.ts';

test.each([
  ['human', 'question', {}, 'asks a question'],
  ['approval', 'budget', {}, 'needs more budget'],
  ['approval', 'lost', {}, 'lost something that its agent made'],
  ['approval', 'skill', { base: null, skill: 'fix' }, 'proposes the skill fix'],
  ['approval', 'skill', { base: '1', skill: 'fix' }, 'proposes another version of fix'],
  ['approval', 'tool_call', { tool: 'bash' }, 'wants to run bash'],
  ['approval', 'deploy', {}, 'asks for approval: deploy'],
] as const)('a %s about %s %j: %s', (kind, subject, request, title) => {
  expect(titleOf({ kind, subject, request })).toBe(title);
});
