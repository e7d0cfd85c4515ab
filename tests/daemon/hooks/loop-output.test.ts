import { expect, test } from 'vitest';
import { parseHookOutput } from '../../../src/daemon/hooks/hook-output.ts';

test.each([
  ['before_tool_call', '', null],
  ['before_tool_call', ' \n', null],
  ['before_tool_call', '{"decision":"allow"}', { decision: 'allow' }],
  ['after_tool_call', '{"decision":"block","reason":"r"}', { decision: 'block', reason: 'r' }],
  ['before_tool_call', '{"decision":"modify","patch":{"a":null}}', { decision: 'modify', patch: { a: null } }],
  ['before_llm_call', '{"decision":"modify","patch":{"append":"x"}}', { patch: { append: 'x' } }],
  ['after_tool_call', '{"decision":"modify","patch":{"details":null}}', { patch: { details: null } }],
  ['before_tool_call', '{"decision":"allow","ledger":[{"type":"note","content":"n"}]}', { ledger: [{ content: 'n' }] }],
] as const)('%s: %j is understood', (event, printed, output) => {
  const parsed = parseHookOutput(event, printed);
  if (output === null) expect(parsed).toEqual({ output });
  else expect(parsed).toMatchObject({ output });
});

test.each([
  ['before_tool_call', 'allow', 'text that is not a JSON object: allow'],
  ['before_tool_call', '[]', 'text that is not a JSON object'],
  ['before_tool_call', '{"decision":"allow"} {"decision":"block"}', 'broken JSON'],
  ['before_tool_call', '{}', 'decision'],
  ['before_tool_call', '{"decision":"alow"}', 'decision'],
  ['before_tool_call', '{"decision":"allow","patch":{}}', 'patch'],
  ['before_tool_call', '{"decision":"modify"}', 'patch'],
  ['before_tool_call', '{"decision":"modify","patch":[]}', 'patch'],
  ['before_tool_call', '{"decision":"modify","patch":{"a":"\\u0000"}}', 'NUL'],
  ['before_tool_call', '{"decision":"modify","patch":{"a":"\\ud800"}}', 'surrogate'],
  ['before_llm_call', '{"decision":"modify","patch":{"append":" "}}', 'patch.append'],
  ['before_llm_call', '{"decision":"modify","patch":{"append":"x","prepend":"y"}}', 'prepend'],
  ['before_llm_call', `{"decision":"modify","patch":{"append":"${'x'.repeat(65_537)}"}}`, 'patch.append'],
  ['after_tool_call', '{"decision":"modify","patch":{"content":null}}', 'patch.content'],
  ['after_tool_call', '{"decision":"modify","patch":{"output":"x"}}', 'output'],
  ['after_tool_call', '{"decision":"modify","patch":{"content":"x"},"ledger":[{}]}', 'ledger.0.type'],
  [
    'before_tool_call',
    `{"decision":"modify","patch":{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}}`,
    'nested more than 200 levels deep',
  ],
] as const)('%s: %j is refused', (event, printed, words) => {
  expect(parseHookOutput(event, printed)).toEqual({ problem: expect.stringContaining(words) });
});

test.each(['before_tool_call', 'consolidate'] as const)('%s: however deep its JSON is, nothing is thrown', (point) => {
  for (const depth of [201, 2000, 2300, 5000]) {
    const nested = '{"a":'.repeat(depth) + 1 + '}'.repeat(depth);
    const output = point === 'consolidate' ? `{"outcome":${nested}}` : `{"decision":"modify","patch":${nested}}`;
    expect(parseHookOutput(point, output)).toEqual({
      problem: expect.stringMatching(/nested more than 200 levels deep/),
    });
  }
});

test('a hook that says block has blocked, whatever else is wrong with its output', () => {
  const printed = '{"decision":"block","reason":"a key","pacth":{}}';
  expect(parseHookOutput('after_tool_call', printed)).toMatchObject({
    output: { decision: 'block', reason: expect.stringMatching(/^a key \(its output is wrong: .*pacth/) },
  });
  expect(parseHookOutput('before_tool_call', '{"decision":"block","reason":5}')).toMatchObject({
    output: { decision: 'block' },
  });
});
