import { describe, expect, test } from 'vitest';
import { isAnimusError } from '../../../src/core/errors/errors.ts';
import type { ContentBlock, LlmEvent, LlmRequest, Message } from '../../../src/llm/client.ts';
import { createLlm } from '../../../src/llm/llm.ts';
import { parseScript } from '../../../src/llm/scripted/script.ts';

function ask(toml: string, over: Partial<LlmRequest> = {}, onEvent?: (event: LlmEvent) => void, signal?: AbortSignal) {
  const script = parseScript(toml, 'demo.toml');
  const llm = createLlm({
    defaultProvider: 'scripted',
    providers: { scripted: { kind: 'scripted', script: () => script } },
  });
  const { client } = llm.resolve('scripted/demo');
  const request = { model: 'demo', system: '', tools: [], messages: [user('do it')], maxTokens: 100, ...over };
  return client.complete(request, { signal: signal ?? AbortSignal.timeout(10_000), ...(onEvent && { onEvent }) });
}

async function answer(...args: Parameters<typeof ask>) {
  const result = await ask(...args);
  if (!result.ok) throw new Error(result.failure.message);
  return result.response;
}

const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });
const assistant = (text: string): Message => ({ role: 'assistant', content: [{ type: 'text', text }] });
const result = (text: string): Message => ({
  role: 'user',
  content: [{ type: 'tool_result', callId: 'x', content: [{ type: 'text', text }], isError: false }],
});
const texts = (content: readonly ContentBlock[]) =>
  content.map((block) => (block.type === 'text' ? block.text : block.type));

const COUNTED = `
[[answer]]
text = "first"
[[answer]]
text = "second"
[[answer]]
text = "third"
`;

test('answers without conditions are counted by the answers in the history', async () => {
  const messages = [user('a'), assistant('first'), user('b')];
  expect(texts((await answer(COUNTED, { messages })).content)).toEqual(['second']);
});

test('the turn of the request counts where the history was compressed', async () => {
  expect(texts((await answer(COUNTED, { messages: [user('stub')], turn: 3 })).content)).toEqual(['third']);
});

test('the same request gets the same answer again, calls with the same ids', async () => {
  const toml = `[[answer]]\ntext = "both"\n[[answer.call]]\ntool = "a"\ninput = { n = 1 }\n[[answer.call]]\ntool = "b"\n`;
  const [first, second] = [await answer(toml), await answer(toml)];
  expect(first.content).toEqual(second.content);
  expect(first.content).toEqual([
    { type: 'text', text: 'both' },
    { type: 'tool_call', id: 'call_1_1', name: 'a', input: { n: 1 } },
    { type: 'tool_call', id: 'call_1_2', name: 'b', input: {} },
  ]);
  expect(first).toMatchObject({ stopReason: 'tool_use', provider: 'scripted', model: 'scripted (no model)' });
});

test('conditions go before counting: on the newest message, the task, the turn, the model', async () => {
  const toml = `
[[answer]]
text = "counted"
[[answer]]
when = { contains = "exit code 1" }
text = "saw the failure"
[[answer]]
when = { matches = "^\\\\d+ passed$" }
text = "saw the numbers"
[[answer]]
when = { task_contains = "docs" }
turn = 2
text = "second turn of the docs task"
[[answer]]
model = "other"
turn = 1
text = "for another model"
`;
  const say = async (...messages: Message[]) => texts((await answer(toml, { messages })).content)[0];
  expect(await say(user('anything'))).toBe('counted');
  expect(await say(user('x'), assistant('y'), result('failed with exit code 1'))).toBe('saw the failure');
  expect(await say(user('x'), assistant('y'), result('12 passed'))).toBe('saw the numbers');
  expect(await say(user('write docs'), assistant('y'), result('ok'))).toBe('second turn of the docs task');
  expect(texts((await answer(toml, { model: 'other' })).content)).toEqual(['for another model']);
});

test('the own task is not what others are doing', async () => {
  const toml = `
[[answer]]
when = { own_task_contains = "apples" }
text = "12 apples"
[[answer]]
when = { own_task_contains = "pears" }
text = "7 pears"
`;
  const messages = [user('Count the pears. Others: Count the apples')];
  expect(texts((await answer(toml, { messages, task: 'Count the pears\n{}' })).content)).toEqual(['7 pears']);
  expect(texts((await answer(toml, { messages, task: '\n{ "fruit": "apples" }' })).content)).toEqual(['12 apples']);
  expect((await ask(toml, { messages })).ok).toBe(false);
});

test('a script without an answer says which turn it lacks', async () => {
  const outcome = await ask(COUNTED, { turn: 4 });
  expect(outcome).toMatchObject({ ok: false, failure: { kind: 'invalid_request' } });
  expect(JSON.stringify(outcome)).toContain('demo.toml has no answer for turn 4 of demo');
});

test('text comes in pieces that never split a character', async () => {
  const events: LlmEvent[] = [];
  const text = '👩‍🚀'.repeat(20);
  await answer(`[[answer]]\ntext = "${text}"`, {}, (event) => events.push(event));
  const pieces = events.map((event) => (event.type === 'text' ? event.text : ''));
  expect(pieces.length).toBeGreaterThan(1);
  expect(pieces.join('')).toBe(text);
  expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
});

test('a fault is a failure of its kind', async () => {
  const toml = `[[answer]]\nfault = { kind = "rate_limit", retry_after_ms = 1500 }`;
  expect(await ask(toml)).toMatchObject({ ok: false, failure: { kind: 'rate_limit', retryAfterMs: 1500 } });
});

test('an abort ends a delay at once', async () => {
  const controller = new AbortController();
  const pending = ask(`[[answer]]\ntext = "late"\ndelay_ms = 600000`, {}, undefined, controller.signal);
  controller.abort();
  expect(await pending).toMatchObject({ ok: false, failure: { kind: 'aborted' } });
});

test('an abort between two pieces ends the answer', async () => {
  const controller = new AbortController();
  const toml = `[[answer]]\ntext = "${'long '.repeat(50)}"\npiece_delay_ms = 1`;
  const outcome = await ask(toml, {}, () => controller.abort(), controller.signal);
  expect(outcome).toMatchObject({ ok: false, failure: { kind: 'aborted' } });
});

test('usage is estimated, or as the script says', async () => {
  expect((await answer(COUNTED)).usage?.input).toBeGreaterThan(0);
  const toml = `[[answer]]\ntext = "x"\nusage = { input = 5, output = 6, cache_read = 3 }`;
  expect((await answer(toml)).usage).toEqual({ input: 5, output: 6, cacheRead: 3, cacheWrite: 0, reasoning: 0 });
});

describe('a wrong script is refused with file, key, expectation and value', () => {
  test.each([
    ['[[answer]]\ntext = 1', 'demo.toml: answer[1].text: expected string, got 1'],
    [
      '[[answer]]\ntext = "a"\n[[answer]]\ndelay = 5',
      'demo.toml: answer[2].delay: expected a key of docs/scripted.md, got delay',
    ],
    ['[[answer]]\nturn = 0', 'demo.toml: answer[1].turn: expected number to be >=1, got 0'],
    ['', 'demo.toml: answer: expected array, got nothing'],
    [
      '[[answer]]\nwhen = { matches = "(" }',
      'demo.toml: answer[1].when.matches: expected a regular expression (JavaScript, unicode), got (',
    ],
    [
      '[[answer]]\ntext = "a"\nfault = { kind = "timeout" }',
      'demo.toml: answer[1].fault: expected no text or calls together with a fault, got {"kind":"timeout"}',
    ],
    ['[[answer]\n', 'demo.toml: line 1, column'],
  ])('%j', (toml, message) => {
    const error = thrown(() => parseScript(toml, 'demo.toml'));
    expect(isAnimusError(error, 'config.invalid')).toBe(true);
    expect((error as Error).message).toContain(message);
  });
});

function thrown(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error('did not throw');
}
