import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Message } from '../../../src/llm/client.ts';
import type { Answer, Wire } from '../../../src/llm/wire/wire.ts';
import { anthropicEvents } from '../../support/model-server/anthropic.ts';
import { openaiChunks } from '../../support/model-server/openai.ts';
import { responseOf, responsesEvents } from '../../support/model-server/responses.ts';
import { seal } from '../../support/model-server/responses-rules.ts';
import { exactInput, exactText, history } from '../arbitrary-history.ts';
import {
  anthropic,
  anthropicSays,
  bodyOf,
  mistral,
  openai,
  openaiSays,
  responses,
  responsesSays,
} from '../judged-bodies.ts';
import { requestOf } from '../llm-call.ts';

type Json = Record<string, unknown>;

describe('every legal history is accepted', () => {
  test.each([undefined, 2048])('by Anthropic, thinking budget %s', (thinkingBudgetTokens) => {
    const budget = thinkingBudgetTokens === undefined ? {} : { thinkingBudgetTokens };
    fc.assert(
      fc.property(history, (messages) => {
        expect(anthropicSays(bodyOf(anthropic, { messages, ...budget }))).toBeNull();
      }),
      { numRuns: 200 },
    );
  });

  test('by OpenAI', () => {
    fc.assert(
      fc.property(history, (messages) => {
        expect(openaiSays(bodyOf(openai, { messages }))).toBeNull();
      }),
      { numRuns: 200 },
    );
  });

  test("by OpenAI's Responses, which opens reasoning for the model that wrote it", () => {
    fc.assert(
      fc.property(history, (messages) => {
        expect(responsesSays(bodyOf(responses, { messages }))).toBeNull();
      }),
      { numRuns: 200 },
    );
  });

  test('by Mistral, whose call ids are nine letters and digits, and where the assistant speaks between results and a user', () => {
    fc.assert(
      fc.property(history, (messages) => {
        const body = bodyOf(mistral, { messages });
        expect(openaiSays(body)).toBeNull();
        for (const message of body['messages'] as Json[]) {
          for (const call of (message['tool_calls'] ?? []) as Json[]) expect(call['id']).toMatch(/^[a-zA-Z0-9]{9}$/);
        }
        const roles = (body['messages'] as Json[]).map((message) => String(message['role'])).join(' ');
        expect(roles).not.toContain('tool user');
      }),
      { numRuns: 200 },
    );
  });
});

describe('what lies before stays byte-identical', () => {
  test.each([
    ['Anthropic', anthropic],
    ['OpenAI', openai],
    ["OpenAI's Responses", responses],
  ])('for %s: a longer history begins with the shorter one', (_, wire) => {
    const stripped = (messages: readonly Message[]) =>
      (bodyOf(wire, { messages })[wire === responses ? 'input' : 'messages'] as Json[]).map((message) =>
        JSON.stringify(message, (key, value: unknown) => (key === 'cache_control' ? undefined : value)),
      );
    fc.assert(
      fc.property(history, fc.nat(), (messages, at) => {
        // Cut before an assistant message: between turns, as the loop sends them. Reasoning of a closed exchange goes.
        const ends = messages.flatMap((message, index) => (message.role === 'assistant' ? [index] : []));
        const end = ends[at % Math.max(1, ends.length)] ?? messages.length;
        const plain = messages.map((message) => ({
          ...message,
          content: message.content.filter((block) => wire !== openai || block.type !== 'thinking'),
        }));
        const shorter = stripped(plain.slice(0, end));
        expect(stripped(plain).slice(0, shorter.length)).toEqual(shorter);
      }),
      { numRuns: 150 },
    );
  });
});

function fold(wire: Wire, events: readonly Json[]): Answer {
  const gathered = wire.fold(requestOf({ model: 'asked' }), () => undefined);
  for (const event of events) expect(gathered.event(JSON.stringify(event))).toBeNull();
  const answer = gathered.finish();
  if (answer.type === 'fault') throw new Error(answer.message);
  return answer;
}

/** The answer, sent back as part of a conversation with results for its calls. */
function sentBack(wire: Wire, { content }: Answer): Json {
  const results = content.flatMap((block) =>
    block.type === 'tool_call' ? { type: 'tool_result' as const, callId: block.id, content: [], isError: false } : [],
  );
  const messages: Message[] = [
    { role: 'user', content: [{ type: 'text', text: 'go' }] },
    { role: 'assistant', content },
    { role: 'user', content: results.length > 0 ? results : [{ type: 'text', text: 'on' }] },
  ];
  return bodyOf(wire, { messages, system: '' });
}

/** The second message: the answer. */
function answerIn(body: Json): Json {
  return (body['messages'] as Json[])[1] ?? {};
}

describe('what a provider streamed goes back to it unchanged', () => {
  const legalId = fc.stringMatching(/^[a-zA-Z0-9_-]{1,30}$/);
  const uses = fc.uniqueArray(
    fc.record({
      type: fc.constant('tool_use'),
      id: legalId,
      name: fc.constantFrom('read_file', 'bash'),
      input: exactInput,
    }),
    { selector: (use) => use.id, maxLength: 4 },
  );
  const thoughts = fc.array(
    fc.oneof(
      fc.record({
        type: fc.constant('thinking'),
        thinking: fc.oneof(exactText, fc.constant('')),
        signature: exactText,
      }),
      fc.record({ type: fc.constant('redacted_thinking'), data: exactText }),
      fc.record({
        type: fc.constant('server_tool_use'),
        id: legalId,
        name: fc.constant('web_search'),
        input: exactInput,
      }),
      fc.record({ type: fc.constant('web_search_tool_result'), tool_use_id: legalId, content: fc.constant([]) }),
    ),
    { maxLength: 3 },
  );
  const said = fc.array(fc.record({ type: fc.constant('text'), text: exactText }), { minLength: 1, maxLength: 2 });

  test('Anthropic', () => {
    fc.assert(
      fc.property(thoughts, said, uses, (thought, words, calls) => {
        const content = [...thought, ...words, ...calls];
        const message = { id: 'm', model: 'asked', role: 'assistant', content, stop_reason: 'tool_use', usage: {} };
        expect(answerIn(sentBack(anthropic, fold(anthropic, anthropicEvents(message))))).toEqual({
          role: 'assistant',
          content,
        });
      }),
      { numRuns: 200 },
    );
  });

  test('OpenAI', () => {
    const calls = fc.uniqueArray(
      fc.record({ id: legalId, name: fc.constantFrom('read_file', 'bash'), input: exactInput }),
      {
        selector: (each) => each.id,
        minLength: 1,
        maxLength: 4,
      },
    );
    fc.assert(
      fc.property(fc.option(exactText), fc.option(exactText), calls, (words, reasoning, made) => {
        const answer = {
          ...(words !== null && { text: words }),
          ...(reasoning !== null && { reasoning_content: reasoning }),
          calls: made,
        };
        expect(answerIn(sentBack(openai, fold(openai, openaiChunks(answer, true))))).toEqual({
          role: 'assistant',
          content: words,
          tool_calls: made.map(({ id, name, input }) => ({
            id,
            type: 'function',
            function: { name, arguments: JSON.stringify(input) },
          })),
          ...(reasoning !== null && { reasoning_content: reasoning }),
        });
      }),
      { numRuns: 200 },
    );
  });

  test("OpenAI's Responses: every item in its order, without the ids under which nothing is stored", () => {
    const reasoning = fc.record({ reasoning: exactText, summary: fc.array(exactText, { maxLength: 2 }) });
    const message = fc.record({ text: exactText, phase: fc.constantFrom('commentary', 'final_answer') });
    const called = fc.record({ name: fc.constantFrom('read_file', 'bash'), input: exactInput });
    const item = fc.oneof(reasoning, message, called);
    // Each answer ends with something that its reasoning led to.
    const output = fc
      .tuple(fc.array(item, { maxLength: 5 }), fc.oneof(message, called))
      .map(([items, last]) =>
        [...items, last].map((each, index) => ('name' in each ? { call: `call_${index}`, ...each } : each)),
      );
    fc.assert(
      fc.property(output, (items) => {
        const events = responsesEvents(responseOf({ output: items }, 'asked'));
        const sent = sentBack(responses, fold(responses, events));
        expect((sent['input'] as Json[]).slice(1, 1 + items.length)).toEqual(
          items.map((each) => {
            if ('reasoning' in each) {
              const summary = each.summary.map((text) => ({ type: 'summary_text', text }));
              return { type: 'reasoning', encrypted_content: seal('asked', each.reasoning), summary };
            }
            if ('text' in each) {
              const content = [{ type: 'output_text', text: each.text }];
              return { type: 'message', role: 'assistant', content, phase: each.phase };
            }
            const { call, name, input } = each;
            return { type: 'function_call', call_id: call, name, arguments: JSON.stringify(input) };
          }),
        );
        expect(responsesSays(sent)).toBeNull();
      }),
      { numRuns: 200 },
    );
  });
});
