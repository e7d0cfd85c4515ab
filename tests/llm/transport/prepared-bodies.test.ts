import { expect, test } from 'vitest';
import type { LlmRequest } from '../../../src/llm/client.ts';
import { createPreparedBodies } from '../../../src/llm/transport/prepared-bodies.ts';

const request: LlmRequest = {
  model: 'm',
  system: 'Work.',
  tools: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Begin.' }] }],
  maxTokens: 100,
  turn: 1,
};

function bodies() {
  let writes = 0;
  const { prepare, take } = createPreparedBodies((one) => `${JSON.stringify(one)} ${++writes}`);
  return { prepare, take, writes: () => writes };
}

test('a prepared body is taken once, by a request with the same fields', () => {
  const { prepare, take, writes } = bodies();
  prepare(request);
  expect(take({ ...request })).toBe(`${JSON.stringify(request)} 1`);
  expect(writes()).toBe(1);
  take(request);
  expect(writes()).toBe(2);
});

test.each([
  ['a changed field', { ...request, maxTokens: 200 }],
  ['a further field', { ...request, effort: 'low' as const }],
  ['a missing field', (({ turn: _, ...rest }) => rest)(request)],
  ['another list of messages', { ...request, messages: [...request.messages] }],
])('%s is written anew', (_, changed) => {
  const { prepare, take } = bodies();
  prepare(request);
  expect(take(changed as LlmRequest)).toBe(`${JSON.stringify(changed)} 2`);
});
