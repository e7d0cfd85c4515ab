import { afterEach, describe, expect, test } from 'vitest';
import type { LlmEvent } from '../../../src/llm/client.ts';
import type { Llm } from '../../../src/llm/llm.ts';
import type { HttpProviderSettings } from '../../../src/llm/provider-settings.ts';
import {
  type ResponsesItem,
  responseOf,
  responsesEvents,
  startResponsesServer,
} from '../../support/model-server/responses.ts';
import { seal } from '../../support/model-server/responses-rules.ts';
import { type ModelServer, startServer } from '../../support/model-server/server.ts';
import { answered, call, failed, llmOf } from '../llm-call.ts';

const opened: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of opened.splice(0)) await end();
});

async function serve(...args: Parameters<typeof startResponsesServer>): Promise<ModelServer> {
  const server = await startResponsesServer(...args);
  opened.push(server.close);
  return server;
}

function connect(server: ModelServer, settings: Partial<HttpProviderSettings> = {}): Llm {
  const llm = llmOf({ kind: 'openai', wire: 'responses', baseUrl: `${server.url}/v1`, ...settings });
  opened.push(() => llm.stop());
  return llm;
}

const OUTPUT: readonly ResponsesItem[] = [
  { reasoning: 'thought', summary: ['let me see', 'and look'] },
  { text: 'Grüße 👋', phase: 'commentary' },
  { call: 'a', name: 'read_file', input: { path: 'ä.txt' } },
  { call: 'b', name: 'read_file', input: {} },
];

test.each([true, false])('reasoning, text and parallel calls arrive the same, streamed: %s', async (stream) => {
  const usage = {
    input_tokens_details: { cached_tokens: 40, cache_write_tokens: 7 },
    output_tokens_details: { reasoning_tokens: 4 },
  };
  const server = await serve([{ output: OUTPUT, usage }]);
  const events: LlmEvent[] = [];
  const response = answered(await call(connect(server, { stream }), {}, (event) => events.push(event)));
  expect(response.content).toEqual([
    {
      type: 'thinking',
      text: 'let me see\n\nand look',
      item: {
        id: 'rs_0',
        type: 'reasoning',
        encrypted_content: seal('some-model', 'thought'),
        summary: [
          { type: 'summary_text', text: 'let me see' },
          { type: 'summary_text', text: 'and look' },
        ],
      },
      provider: 'p',
      model: 'some-model',
    },
    { type: 'text', text: 'Grüße 👋', phase: 'commentary' },
    { type: 'tool_call', id: 'a', name: 'read_file', input: { path: 'ä.txt' } },
    { type: 'tool_call', id: 'b', name: 'read_file', input: {} },
  ]);
  expect(response).toMatchObject({ stopReason: 'tool_use', rawStopReason: 'completed', responseId: 'resp_mock' });
  expect(response.usage).toEqual({ input: 100, output: 10, cacheRead: 40, cacheWrite: 7, reasoning: 4 });
  const told = (type: string) => events.flatMap((event) => (event.type === type && 'text' in event ? event.text : []));
  expect(told('thinking').join('')).toBe('let me see\n\nand look');
  expect(told('text').join('')).toBe('Grüße 👋');
  expect(events.flatMap((event) => (event.type === 'tool_call' ? event.id : []))).toEqual(['a', 'b']);
});

test('a conversation goes on with its reasoning, and without it at another model', async () => {
  const server = await serve([{ output: OUTPUT }]);
  const llm = connect(server);
  const { content } = answered(await call(llm));
  const messages = [
    { role: 'user', content: [{ type: 'text', text: 'hello' }] },
    { role: 'assistant', content },
    {
      role: 'user',
      content: ['a', 'b'].map((callId) => ({ type: 'tool_result', callId, content: [], isError: false }) as const),
    },
  ] as const;
  answered(await call(llm, { messages }));
  answered(await call(llm, { messages, model: 'another-model' }));
  const reasoning = server.requests.map(({ json }) =>
    ((json?.['input'] ?? []) as { type: string; encrypted_content?: string }[]).flatMap(
      ({ type, encrypted_content: sealed }) => (type === 'reasoning' ? sealed : []),
    ),
  );
  expect(reasoning).toEqual([[], [seal('some-model', 'thought')], []]);
});

test('the mock opens reasoning for its own model only, and unchanged only', async () => {
  const server = await serve([{ output: [{ text: 'hi' }] }]);
  const item = { type: 'reasoning', summary: [], encrypted_content: seal('other', 'thought') };
  const stolen = { type: 'thinking', text: '', item, provider: 'p', model: 'some-model' } as const;
  const hello = { role: 'user', content: [{ type: 'text', text: 'hello' }] } as const;
  const messages = [hello, { role: 'assistant', content: [stolen, { type: 'text', text: 'x' }] }, hello] as const;
  expect(failed(await call(connect(server), { messages }))).toMatchObject({ kind: 'invalid_request' });
});

test('a refusal is one, and an answer that was cut off says why', async () => {
  const server = await serve([
    { output: [{ refusal: 'No.' }] },
    { output: [{ text: 'half' }], incomplete: 'max_output_tokens' },
    { output: [{ text: 'half' }], incomplete: 'content_filter' },
  ]);
  const llm = connect(server);
  expect(answered(await call(llm))).toMatchObject({ stopReason: 'refusal', content: [{ type: 'text', text: 'No.' }] });
  expect(answered(await call(llm))).toMatchObject({ stopReason: 'max_tokens', rawStopReason: 'max_output_tokens' });
  expect(answered(await call(llm))).toMatchObject({ stopReason: 'refusal', rawStopReason: 'content_filter' });
});

describe('a stream that is cut', () => {
  test.each(['end', 'reset'] as const)('after any event (%s) is bought again', async (last) => {
    const all = responsesEvents(responseOf({ output: OUTPUT }, 'm')).length;
    for (let events = 0; events < all; events += 1) {
      const cut = { output: OUTPUT, stopAfter: events, finally: last };
      const server = await serve([cut, { output: [{ text: 'whole' }] }]);
      const response = answered(await call(connect(server)));
      expect(response, `after ${events} events`).toMatchObject({ attempts: 2, content: [{ text: 'whole' }] });
    }
  });
});

describe('errors', () => {
  test.each([
    [429, { code: 'insufficient_quota', message: 'You exceeded your current quota' }, 'quota', 1],
    [429, { code: 'rate_limit_exceeded', message: 'Rate limit reached' }, 'rate_limit', 4],
    [401, { code: 'invalid_api_key' }, 'credentials', 1],
    [404, { code: 'model_not_found', message: 'The model `x` does not exist' }, 'model_not_found', 1],
    [404, { body: '<html>not here</html>' }, 'connection', 1],
    [400, { code: 'context_length_exceeded' }, 'context_overflow', 1],
    [400, { code: 'invalid_prompt', message: 'Invalid prompt: flagged' }, 'content_filter', 1],
    [400, { code: 'invalid_encrypted_content', message: 'could not be verified' }, 'invalid_request', 1],
    [400, { message: 'bad schema' }, 'invalid_request', 1],
    [500, { message: 'The server had an error' }, 'overloaded', 4],
  ] as const)('%i %j is %s after %i attempt(s)', async (status, rest, kind, attempts) => {
    const server = await serve([{ status, ...rest }]);
    expect(failed(await call(connect(server)))).toMatchObject({ kind, attempts, httpStatus: status });
    expect(server.requests).toHaveLength(attempts);
  });

  test('a server without Responses is told apart from a wrong address', async () => {
    const server = await serve([{ status: 404, body: '{"detail":"Not Found"}' }]);
    expect(failed(await call(connect(server))).message).toContain('wire = "chat"');
  });
});

describe('an answer beyond a limit is refused, and not asked for again', () => {
  const long = 'x'.repeat(1024 * 1024);
  const twenty = (event: object) => Array.from({ length: 20 }, () => event);
  const added = (output_index: number, item: object) => ({ type: 'response.output_item.added', output_index, item });
  const call10k = Array.from({ length: 10_000 }, (_, index) =>
    added(index, { type: 'function_call', call_id: `c${index}`, name: 'a', arguments: '' }),
  );
  test.each<[string, readonly object[], string]>([
    ['10,000 calls', call10k, 'more than 1000 tool calls'],
    [
      '30,000 items',
      Array.from({ length: 30_000 }, (_, index) => added(index, { type: 'message', content: [] })),
      'more than 20000 parts',
    ],
    ['20 MB of text', twenty({ type: 'response.output_text.delta', output_index: 0, delta: long }), 'characters'],
    [
      '20 MB of arguments',
      twenty({ type: 'response.function_call_arguments.delta', output_index: 0, delta: long }),
      'characters',
    ],
    [
      '20 MB of sealed reasoning',
      twenty({
        type: 'response.output_item.done',
        output_index: 0,
        item: { type: 'reasoning', encrypted_content: long },
      }),
      'characters',
    ],
  ])('%s', async (_, events, message) => {
    const parts = events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
    const server = await startServer(() => ({ status: 200, headers: { 'content-type': 'text/event-stream' }, parts }));
    opened.push(server.close);
    expect(failed(await call(connect(server)))).toMatchObject({
      kind: 'protocol',
      attempts: 1,
      message: expect.stringContaining(message),
    });
  });
});
