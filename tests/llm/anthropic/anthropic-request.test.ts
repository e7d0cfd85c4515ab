import { describe, expect, test } from 'vitest';
import { anthropicBody } from '../../../src/llm/anthropic/request.ts';
import type { ContentBlock, LlmRequest, Message } from '../../../src/llm/client.ts';
import { modelInfo } from '../../../src/llm/models/models.ts';
import { requestOf } from '../llm-call.ts';

type Json = Record<string, unknown>;

function body(over: Partial<LlmRequest> = {}): Json {
  const request = requestOf({ model: 'claude-sonnet-4-5', ...over });
  return anthropicBody(request, true, { provider: 'anthropic', model: modelInfo('anthropic', request.model) });
}

const user = (text: string, cacheBreakpoint = false): Message => ({
  role: 'user',
  content: [{ type: 'text', text }],
  ...(cacheBreakpoint && { cacheBreakpoint }),
});
const assistant = (...content: ContentBlock[]): Message => ({ role: 'assistant', content });
const said: ContentBlock = { type: 'text', text: 'a' };
const thought = (model: string, provider = 'anthropic'): ContentBlock => ({
  type: 'thinking',
  text: 't',
  signature: 's',
  provider,
  model,
});

/** Paths of everything that carries a breakpoint. */
function breakpoints(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = 'cache_control' in value ? [path] : [];
  return [...own, ...Object.entries(value).flatMap(([key, child]) => breakpoints(child, `${path}/${key}`))];
}

describe('cache breakpoints', () => {
  test('stand at the system prompt, which the tools precede, and at the marked messages', () => {
    const messages = [user('a', true), assistant(said), user('b', true)];
    expect(breakpoints(body({ messages }))).toEqual(['/system/0', '/messages/0/content/0', '/messages/2/content/0']);
  });

  test('stand at the last tool where there is no system prompt', () => {
    expect(breakpoints(body({ system: '' }))).toEqual(['/tools/0']);
  });

  test('are four at most: the last three messages win', () => {
    const messages = [1, 2, 3, 4, 5].flatMap((n) => [user(`u${n}`, true), assistant(said)]).slice(0, -1);
    expect(breakpoints(body({ messages })).slice(1)).toEqual([
      '/messages/4/content/0',
      '/messages/6/content/0',
      '/messages/8/content/0',
    ]);
  });

  test('never stand on thinking, also when it ends a message', () => {
    const marked = { ...assistant(said, thought('claude-sonnet-4-5')), cacheBreakpoint: true };
    expect(breakpoints(body({ messages: [user('a'), marked, user('b')] }))).toContain('/messages/1/content/0');
    const alone = { ...assistant(thought('claude-sonnet-4-5')), cacheBreakpoint: true };
    expect(breakpoints(body({ messages: [user('a'), alone, user('b')] }))).toEqual(['/system/0']);
  });

  test('keep what they mark for an hour when asked', () => {
    expect(body({ cacheTtl: '1h' })['system']).toEqual([
      { type: 'text', text: 'be brief', cache_control: { type: 'ephemeral', ttl: '1h' } },
    ]);
  });

  test('leave the caller’s blocks alone', () => {
    const value = { type: 'server_tool_use', id: 'x', name: 'web_search', input: {} };
    const opaque: ContentBlock = { type: 'opaque', value, provider: 'anthropic', model: 'claude-sonnet-4-5' };
    body({ messages: [user('a'), { ...assistant(opaque), cacheBreakpoint: true }, user('b')] });
    expect(value).not.toHaveProperty('cache_control');
  });
});

describe('thinking', () => {
  const use: ContentBlock = { type: 'tool_call', id: '1', name: 'read_file', input: {} };
  const result: Message = {
    role: 'user',
    content: [{ type: 'tool_result', callId: '1', content: [], isError: false }],
  };
  const on = { thinkingBudgetTokens: 2048, maxTokens: 4096 };

  test('has its budget when nothing is open', () => {
    expect(body(on)['thinking']).toEqual({ type: 'enabled', budget_tokens: 2048 });
  });

  test('of another model or provider is not sent, and the open exchange ends without', () => {
    for (const foreign of [thought('claude-opus-4-5'), thought('claude-sonnet-4-5', 'elsewhere')]) {
      const sent = body({ ...on, messages: [user('go'), assistant(foreign, use), result] });
      expect(sent).not.toHaveProperty('thinking');
      expect(JSON.stringify(sent['messages'])).not.toContain('thinking');
    }
  });

  test('comes back once the exchange has ended', () => {
    const messages = [user('go'), assistant(thought('other'), use), result, assistant(said), user('more')];
    expect(body({ ...on, messages })).toHaveProperty('thinking');
  });

  test('goes on in an exchange that began with its own', () => {
    const messages = [user('go'), assistant(thought('claude-sonnet-4-5'), use), result];
    expect(body({ ...on, messages })).toHaveProperty('thinking');
  });

  test('of models that bind it to the history drops what stubs have cut loose', () => {
    expect(body({ model: 'claude-opus-5-5', effort: 'high' })).toMatchObject({
      thinking: { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } },
      output_config: { effort: 'high' },
    });
  });

  test('of adaptive models takes an effort, never a budget or a temperature', () => {
    const sent = body({ model: 'claude-opus-4-8', effort: 'minimal', ...on, temperature: 0.5 });
    expect(sent).toMatchObject({ thinking: { type: 'adaptive' }, output_config: { effort: 'low' } });
    expect(sent).not.toHaveProperty('temperature');
  });
});

test('media, documents and errors in results are mapped', () => {
  const png = { type: 'image', mediaType: 'image/png', data: 'aGk=' } as const;
  const messages: Message[] = [
    { role: 'user', content: [png, { type: 'document', mediaType: 'text/markdown', data: 'aGk=' }] },
    assistant({ type: 'tool_call', id: '1', name: 'read_file', input: {}, invalidInput: '{x' }),
    { role: 'user', content: [said, { type: 'tool_result', callId: '1', content: [png], isError: true }] },
  ];
  expect(body({ messages })['messages']).toEqual([
    {
      role: 'user',
      content: [
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } },
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'hi' } },
      ],
    },
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: '1', name: 'read_file', input: { INVALID_JSON: '{x' } }],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: '1',
          content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } }],
          is_error: true,
        },
        { type: 'text', text: 'a' },
      ],
    },
  ]);
});

test.each([
  ['auto', { type: 'auto' }],
  ['any', { type: 'any' }],
  ['none', { type: 'none' }],
  [{ name: 'read_file' }, { type: 'tool', name: 'read_file' }],
] as const)('tool choice %j', (toolChoice, mapped) => {
  expect(body({ toolChoice })['tool_choice']).toEqual(mapped);
});
