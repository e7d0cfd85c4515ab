import { describe, expect, test } from 'vitest';
import type { ContentBlock, LlmRequest, Message } from '../../../src/llm/client.ts';
import { modelInfo } from '../../../src/llm/models/models.ts';
import { openaiWire } from '../../../src/llm/openai/wire.ts';
import { responsesWire } from '../../../src/llm/responses/wire.ts';
import { openAiComplaint } from '../../support/model-server/strict-schemas.ts';
import { requestOf, TOOL } from '../llm-call.ts';

const infoOf = (model: string) => modelInfo('openai', model);

function body(over: Partial<LlmRequest> = {}, host = 'localhost', stream = true): Record<string, unknown> {
  const wire = responsesWire({ provider: 'openai', infoOf, host });
  return wire.body(requestOf({ model: 'gpt-5.4', system: '', ...over }), stream);
}

const text = (value: string): ContentBlock => ({ type: 'text', text: value });
const user = (...content: ContentBlock[]): Message => ({ role: 'user', content });
const assistant = (...content: ContentBlock[]): Message => ({ role: 'assistant', content });
const use = (id: string): ContentBlock => ({ type: 'tool_call', id, name: 'read_file', input: { n: 1 } });
const png = { type: 'image', mediaType: 'image/png', data: 'aGk=' } as const;
const pdf = { type: 'document', mediaType: 'application/pdf', data: 'aGk=' } as const;
const result = (callId: string, content: Extract<ContentBlock, { type: 'tool_result' }>['content'], isError = false) =>
  ({ type: 'tool_result', callId, content, isError }) as const;
const item = {
  id: 'rs_1',
  type: 'reasoning',
  summary: [],
  encrypted_content: 'gAAA',
  status: 'completed',
  content: null,
};
const thought = (over: { model?: string; provider?: string; item?: Record<string, unknown> } = {}): ContentBlock => ({
  type: 'thinking',
  text: '',
  item,
  provider: 'openai',
  model: 'gpt-5.4',
  ...over,
});
const input = (messages: readonly Message[]) => body({ messages })['input'];
const said = (role: string, type: string, value: string) => ({
  type: 'message',
  role,
  content: [{ type, text: value }],
});
const called = (id: string) => ({ type: 'function_call', call_id: id, name: 'read_file', arguments: '{"n":1}' });
const answeredCall = (id: string, output: unknown) => ({ type: 'function_call_output', call_id: id, output });

describe('the history', () => {
  test('is sent item by item, results before notices', () => {
    const messages = [
      user(text('go')),
      assistant(text('I look.'), use('a'), use('b')),
      user(text('note'), result('b', []), result('a', [{ type: 'text', text: 'A' }])),
    ];
    expect(input(messages)).toEqual([
      said('user', 'input_text', 'go'),
      said('assistant', 'output_text', 'I look.'),
      called('a'),
      called('b'),
      answeredCall('b', '(no output)'),
      answeredCall('a', 'A'),
      said('user', 'input_text', 'note'),
    ]);
  });

  test('carries reasoning before what it led to, without its id, and the phase of a text', () => {
    const messages = [
      user(text('go')),
      assistant(thought(), { type: 'text', text: 'I look.', phase: 'commentary' }, thought(), use('a')),
      user(result('a', [])),
    ];
    const sealed = { type: 'reasoning', summary: [], encrypted_content: 'gAAA' };
    expect(input(messages)).toEqual([
      said('user', 'input_text', 'go'),
      sealed,
      { ...said('assistant', 'output_text', 'I look.'), phase: 'commentary' },
      sealed,
      called('a'),
      answeredCall('a', '(no output)'),
    ]);
  });

  test.each<[string, ContentBlock]>([
    ['another model', thought({ model: 'gpt-5.5' })],
    ['the same model at another provider', thought({ provider: 'azure' })],
    [
      'Chat Completions',
      { type: 'thinking', text: 't', fields: { reasoning: 't' }, provider: 'openai', model: 'gpt-5.4' },
    ],
    ['a server that sealed nothing', thought({ item: { id: 'rs_1', type: 'reasoning', summary: [] } })],
  ])('carries no reasoning of %s', (_, block) => {
    expect(JSON.stringify(input([user(text('go')), assistant(block, text('ok')), user(text('on'))]))).not.toContain(
      'reasoning',
    );
  });

  test('carries no reasoning that led to nothing: the answer was cut off inside it', () => {
    const messages = [user(text('go')), assistant(thought()), user(text('on'))];
    expect(input(messages)).toEqual([said('user', 'input_text', 'go'), said('user', 'input_text', 'on')]);
  });

  test('carries the reasoning of an open model in the clear, with its id', () => {
    const open = { id: 'rs_1', type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'hm' }] };
    const messages = [user(text('go')), assistant(thought({ item: open }), use('a')), user(result('a', []))];
    expect(input(messages)).toContainEqual(open);
  });

  test('carries pictures and documents, in results too', () => {
    const image = { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,aGk=' };
    const file = { type: 'input_file', filename: 'document.pdf', file_data: 'data:application/pdf;base64,aGk=' };
    const note = { type: 'document', mediaType: 'text/plain', data: 'aGk=' } as const;
    const messages = [
      user(text('go'), pdf, note),
      assistant(use('a'), use('b')),
      user(result('a', [{ type: 'text', text: 'shot' }, png]), result('b', [png])),
    ];
    expect(input(messages)).toEqual([
      {
        type: 'message',
        role: 'user',
        content: [{ type: 'input_text', text: 'go' }, file, { type: 'input_text', text: 'hi' }],
      },
      called('a'),
      called('b'),
      answeredCall('a', [{ type: 'input_text', text: 'shot' }, image]),
      answeredCall('b', [image]),
    ]);
  });

  test('marks an error, once', () => {
    const failure = (value: string) => [{ type: 'text', text: value }] as const;
    const messages = [
      user(text('go')),
      assistant(use('a'), use('b'), use('c')),
      user(result('a', failure('boom'), true), result('b', failure('Error: boom'), true), result('c', [png], true)),
    ];
    const outputs = (input(messages) as { output?: unknown }[]).flatMap(({ output }) => output ?? []);
    expect(outputs.slice(0, 3)).toEqual(['Error: boom', 'Error: boom', { type: 'input_text', text: 'Error: ' }]);
  });

  test('recorded by this wire is legal on Chat Completions, which gets neither items nor phases', () => {
    const chat = openaiWire({ provider: 'openai', infoOf, host: 'localhost' });
    const messages = [
      user(text('go')),
      assistant(thought(), { type: 'text', text: 'I look.', phase: 'commentary' }, use('a')),
      user(result('a', [])),
    ];
    const sent = chat.body(requestOf({ model: 'gpt-5.4', messages }), true)['messages'] as object[];
    expect(sent.map((message) => Object.keys(message).toSorted().join(' '))).toEqual([
      'content role',
      'content role',
      'content role tool_calls',
      'content role tool_call_id',
    ]);
  });
});

describe('options', () => {
  test('nothing is stored, and reasoning comes back encrypted', () => {
    expect(body()).toMatchObject({ store: false, stream: true, include: ['reasoning.encrypted_content'] });
    expect(body({ model: 'gpt-4.1' })).not.toHaveProperty('include');
    expect(body({ model: 'a-model-to-come' })).toHaveProperty('include');
  });

  test('an effort goes with tools', () => {
    const sent = body({ effort: 'high' });
    expect(sent).toMatchObject({ reasoning: { effort: 'high' } });
    expect(sent['tools']).toHaveLength(1);
    expect(body({ model: 'gpt-4.1', effort: 'high' })).not.toHaveProperty('reasoning');
  });

  test('tools are as the faculty has them: not strict', () => {
    const { name, description, inputSchema } = TOOL;
    expect(body()['tools']).toEqual([{ type: 'function', name, description, parameters: inputSchema, strict: false }]);
    expect(body()).toMatchObject({ parallel_tool_calls: true });
    expect(body({ tools: [] })).not.toHaveProperty('parallel_tool_calls');
  });

  test('the answer is at least as long as the API allows', () => {
    expect(body({ maxTokens: 4 })).toMatchObject({ max_output_tokens: 16 });
    expect(body({ maxTokens: 4000 })).toMatchObject({ max_output_tokens: 4000 });
  });

  test('the cache key, and streams without padding, are asked of OpenAI and Azure', () => {
    for (const host of ['api.openai.com', 'my.openai.azure.com']) {
      expect(body({ conversationId: 'f1' }, host)).toMatchObject({
        prompt_cache_key: 'f1',
        stream_options: { include_obfuscation: false },
      });
      expect(body({}, host, false)).not.toHaveProperty('stream_options');
    }
    const elsewhere = body({ conversationId: 'f1' });
    expect(elsewhere).not.toHaveProperty('prompt_cache_key');
    expect(elsewhere).not.toHaveProperty('stream_options');
  });

  test.each([
    ['auto', 'auto'],
    ['any', 'required'],
    ['none', 'none'],
    [{ name: 'read_file' }, { type: 'function', name: 'read_file' }],
  ] as const)('tool choice %j', (toolChoice, mapped) => {
    expect(body({ toolChoice })['tool_choice']).toEqual(mapped);
    expect(body({ toolChoice, tools: [] })).not.toHaveProperty('tool_choice');
  });
});

describe('what an answer is held to, and its terms', () => {
  const schema = {
    type: 'object',
    properties: { fixed: { type: 'boolean' }, note: { type: 'string' } },
    required: ['fixed'],
  };

  test('a schema is the format of the text, in OpenAI’s dialect', () => {
    const sent = body({ outputSchema: { name: 'outcome', schema } });
    const format = (sent['text'] as { format: Record<string, unknown> }).format;
    expect(format).toMatchObject({ type: 'json_schema', name: 'outcome', strict: true });
    expect(openAiComplaint(format['schema'], 'x')).toBeNull();
    expect(body()).not.toHaveProperty('text');
  });

  test('tools are strict where they can be', () => {
    const open = { name: 'open', description: '', inputSchema: { type: 'object', properties: { any: {} } } };
    const closed = { name: 'closed', description: '', inputSchema: schema };
    const tools = body({ tools: [open, closed], strictTools: true })['tools'] as Record<string, unknown>[];
    expect(tools.map(({ strict }) => strict)).toEqual([false, true]);
    expect(openAiComplaint(tools[1]?.['parameters'], 'x')).toBeNull();
    expect(tools[0]?.['parameters']).toEqual(open.inputSchema);
  });

  test('a service tier and a day of cache', () => {
    const sent = body({ serviceTier: 'flex', cacheTtl: '24h' }, 'api.openai.com');
    expect(sent).toMatchObject({ service_tier: 'flex', prompt_cache_retention: '24h' });
  });
});
