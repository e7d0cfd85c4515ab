import { describe, expect, test } from 'vitest';
import type { ContentBlock, LlmRequest, Message } from '../../../src/llm/client.ts';
import { modelInfo } from '../../../src/llm/models/models.ts';
import { openaiWire } from '../../../src/llm/openai/wire.ts';
import { requestOf } from '../llm-call.ts';

function body(over: Partial<LlmRequest> = {}, host = 'localhost', stream = true): Record<string, unknown> {
  const wire = openaiWire({ provider: 'openai', infoOf: (model) => modelInfo('openai', model), host });
  return wire.body(requestOf({ model: 'gpt-4o', system: '', ...over }), stream);
}

const text = (value: string): ContentBlock => ({ type: 'text', text: value });
const user = (...content: ContentBlock[]): Message => ({ role: 'user', content });
const assistant = (...content: ContentBlock[]): Message => ({ role: 'assistant', content });
const use = (id: string): ContentBlock => ({ type: 'tool_call', id, name: 'read_file', input: { n: 1 } });
const png = { type: 'image', mediaType: 'image/png', data: 'aGk=' } as const;
const result = (callId: string, content: Extract<ContentBlock, { type: 'tool_result' }>['content'], isError = false) =>
  ({ type: 'tool_result', callId, content, isError }) as const;

const thought = (model: string): ContentBlock => ({
  type: 'thinking',
  text: 't',
  fields: { reasoning_content: 't' },
  provider: 'openai',
  model,
});
const sent = (messages: readonly Message[]) => JSON.stringify(body({ messages })['messages']);

describe('messages', () => {
  test('results become tool messages, notices one user message behind them', () => {
    const messages = [
      user(text('go')),
      assistant(use('a'), use('b')),
      user(text('note'), result('b', []), result('a', [{ type: 'text', text: 'A' }])),
    ];
    expect(body({ messages })['messages']).toEqual([
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: null,
        tool_calls: ['a', 'b'].map((id) => ({
          id,
          type: 'function',
          function: { name: 'read_file', arguments: '{"n":1}' },
        })),
      },
      { role: 'tool', tool_call_id: 'b', content: '(no output)' },
      { role: 'tool', tool_call_id: 'a', content: 'A' },
      { role: 'user', content: 'note' },
    ]);
  });

  test('a picture in a result follows in a user message, and the tool message says so', () => {
    const messages = [user(text('go')), assistant(use('a')), user(result('a', [{ type: 'text', text: 'shot' }, png]))];
    expect((body({ messages })['messages'] as unknown[]).slice(2)).toEqual([
      { role: 'tool', tool_call_id: 'a', content: 'shot\n(1 file(s) follow in the next user message)' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'From the result of call a:' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
        ],
      },
    ]);
  });

  test('an error is marked, once', () => {
    const messages = [
      user(text('go')),
      assistant(use('a'), use('b')),
      user(
        result('a', [{ type: 'text', text: 'boom' }], true),
        result('b', [{ type: 'text', text: 'Error: boom' }], true),
      ),
    ];
    const tools = (body({ messages })['messages'] as { content: string }[]).slice(2);
    expect(tools.map(({ content }) => content)).toEqual(['Error: boom', 'Error: boom']);
  });

  test('documents are files, text documents are text, users in a row are joined', () => {
    const pdf = { type: 'document', mediaType: 'application/pdf', data: 'aGk=' } as const;
    const note = { type: 'document', mediaType: 'text/plain', data: 'aGk=' } as const;
    expect(body({ messages: [user(note), user(text('and'))] })['messages']).toEqual([
      { role: 'user', content: 'hi\n\nand' },
    ]);
    expect(body({ messages: [user(pdf)] })['messages']).toEqual([
      {
        role: 'user',
        content: [{ type: 'file', file: { filename: 'document.pdf', file_data: 'data:application/pdf;base64,aGk=' } }],
      },
    ]);
  });

  test('reasoning goes back within the open exchange only, to its own model only', () => {
    const open = [user(text('go')), assistant(thought('gpt-4o'), use('a')), user(result('a', []))];
    expect(sent(open)).toContain('"reasoning_content":"t"');
    expect(sent([...open, assistant(text('done')), user(text('more'))])).not.toContain('reasoning_content');
    expect(sent([user(text('go')), assistant(thought('other'), use('a')), user(result('a', []))])).not.toContain(
      'reasoning',
    );
  });
});

describe('options', () => {
  test('usage of a stream is asked for, and nothing about streams without one', () => {
    expect(body()).toMatchObject({ stream: true, stream_options: { include_usage: true } });
    expect(body({}, 'localhost', false)).not.toHaveProperty('stream_options');
  });

  test('the cache key goes to OpenAI and Azure', () => {
    for (const host of ['api.openai.com', 'my.openai.azure.com']) {
      expect(body({ conversationId: 'f1' }, host)).toMatchObject({ prompt_cache_key: 'f1' });
    }
    for (const host of ['openai.com.example.org', 'notopenai.com', 'localhost']) {
      expect(body({ conversationId: 'f1' }, host)).not.toHaveProperty('prompt_cache_key');
    }
  });

  test('models without effort beside tools get `none` with tools, and the requested effort without', () => {
    expect(body({ model: 'gpt-5.5', effort: 'high' })).toMatchObject({ reasoning_effort: 'none' });
    expect(body({ model: 'gpt-5.5', effort: 'high', tools: [] })).toMatchObject({ reasoning_effort: 'high' });
    expect(body({ effort: 'high' })).not.toHaveProperty('reasoning_effort');
  });

  test.each([
    ['auto', 'auto'],
    ['any', 'required'],
    ['none', 'none'],
    [{ name: 'read_file' }, { type: 'function', function: { name: 'read_file' } }],
  ] as const)('tool choice %j', (toolChoice, mapped) => {
    expect(body({ toolChoice })['tool_choice']).toEqual(mapped);
    expect(body({ toolChoice, tools: [] })).not.toHaveProperty('tool_choice');
  });
});
