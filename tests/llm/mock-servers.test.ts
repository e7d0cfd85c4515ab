import { expect, test } from 'vitest';
import { refusalOf as anthropicRefusal } from '../support/model-server/anthropic-rules.ts';
import { refusalOf as openaiRefusal } from '../support/model-server/openai-rules.ts';
import type { RecordedRequest } from '../support/model-server/server.ts';

type Json = Record<string, unknown>;

function recorded(path: string, json: Json): RecordedRequest {
  const headers = {
    'content-type': 'application/json',
    'x-api-key': 'k',
    'anthropic-version': '2023-06-01',
    authorization: 'Bearer k',
  };
  const ended = Promise.resolve({ cutByClient: false });
  return { method: 'POST', path, headers, body: Buffer.alloc(0), json, atMs: 0, refused: null, ended };
}

const user = (...content: Json[]): Json => ({ role: 'user', content });
const assistant = (...content: Json[]): Json => ({ role: 'assistant', content });
const text = (value: string, rest: Json = {}): Json => ({ type: 'text', text: value, ...rest });
const use = (id: string): Json => ({ type: 'tool_use', id, name: 'a', input: {} });
const result = (id: string, rest: Json = {}): Json => ({ type: 'tool_result', tool_use_id: id, ...rest });
const MARK = { cache_control: { type: 'ephemeral' } };

function anthropicSays(over: Json): string | null {
  const tools = [{ name: 'a', input_schema: { type: 'object' } }];
  const body = { model: 'm', max_tokens: 9, tools, messages: [user(text('hi'))], ...over };
  return anthropicRefusal(recorded('/v1/messages', body))?.message ?? null;
}

test('the Anthropic mock accepts a plain tool exchange', () => {
  const messages = [user(text('go')), assistant(use('1'), use('2')), user(result('2'), result('1'), text('and'))];
  expect(anthropicSays({ messages })).toBeNull();
});

test.each<[string, Json, string]>([
  ['no max_tokens', { max_tokens: undefined }, 'max_tokens: Field required'],
  ['an unknown field', { maxTokens: 9 }, 'maxTokens: Extra inputs'],
  ['no messages', { messages: [] }, 'at least one message'],
  ['an assistant first', { messages: [assistant(text('hi'))] }, 'roles must alternate'],
  ['two users in a row', { messages: [user(text('a')), user(text('b'))] }, 'roles must alternate'],
  ['a system role', { messages: [{ role: 'system', content: 'x' }] }, 'Unexpected role'],
  ['an empty text', { messages: [user(text(''))] }, 'must be non-empty'],
  ['a blank text', { messages: [user(text(' \n'))] }, 'non-whitespace'],
  ['an empty message', { messages: [user()] }, 'non-empty content'],
  ['half a character', { messages: [user(text('\ud83d'))] }, 'surrogate'],
  [
    'a call without result',
    { messages: [user(text('go')), assistant(use('1')), user(text('so'))] },
    'without `tool_result` blocks immediately after: 1',
  ],
  ['a call at the end', { messages: [user(text('go')), assistant(use('1'))] }, 'without `tool_result`'],
  [
    'one result of two',
    { messages: [user(text('go')), assistant(use('1'), use('2')), user(result('1'))] },
    'immediately after: 2',
  ],
  [
    'an orphaned result',
    { messages: [user(text('go')), assistant(text('a')), user(result('1'))] },
    'unexpected `tool_use_id`',
  ],
  [
    'a result behind text',
    { messages: [user(text('go')), assistant(use('1')), user(text('x'), result('1'))] },
    'without `tool_result`',
  ],
  [
    'two results for a call',
    { messages: [user(text('go')), assistant(use('1')), user(result('1'), result('1'))] },
    'single result',
  ],
  [
    'an id used twice',
    { messages: [user(text('go')), assistant(use('1')), user(result('1')), assistant(use('1')), user(result('1'))] },
    'ids must be unique',
  ],
  [
    'an error without content',
    { messages: [user(text('go')), assistant(use('1')), user(result('1', { is_error: true }))] },
    'cannot be empty if `is_error`',
  ],
  [
    'a strange id',
    { messages: [user(text('go')), assistant(use('a:1')), user(result('a:1'))] },
    'should match pattern',
  ],
  [
    'calls without tools',
    { tools: undefined, messages: [user(text('go')), assistant(use('1')), user(result('1'))] },
    'must define tools',
  ],
  ['a choice without tools', { tools: undefined, tool_choice: { type: 'auto' } }, 'tool_choice may only'],
  ['five breakpoints', { messages: [user(...[1, 2, 3, 4, 5].map((n) => text(`t${n}`, MARK)))] }, 'maximum of 4'],
  [
    'a breakpoint on thinking',
    {
      messages: [
        user(text('go')),
        assistant({ type: 'thinking', thinking: '', signature: 's', ...MARK }, text('a')),
        user(text('b')),
      ],
    },
    'cannot be set for thinking',
  ],
  [
    'thinking without signature',
    { messages: [user(text('go')), assistant({ type: 'thinking', thinking: 'x' }, text('a')), user(text('b'))] },
    'signature: Field required',
  ],
  [
    'a budget over max_tokens',
    { max_tokens: 2000, thinking: { type: 'enabled', budget_tokens: 2000 } },
    'must be greater than',
  ],
  [
    'thinking with temperature',
    { max_tokens: 2000, temperature: 0.2, thinking: { type: 'enabled', budget_tokens: 1024 } },
    'only be set to 1',
  ],
  [
    'an exchange begun without thinking',
    {
      max_tokens: 2000,
      thinking: { type: 'enabled', budget_tokens: 1024 },
      messages: [user(text('go')), assistant(use('1')), user(result('1'))],
    },
    'Expected `thinking`',
  ],
])('the Anthropic mock refuses %s', (_, over, message) => {
  expect(anthropicSays(over)).toContain(message);
});

const call = (id: string): Json => ({ id, type: 'function', function: { name: 'a', arguments: '{}' } });
const tool = (id: string): Json => ({ role: 'tool', tool_call_id: id, content: 'x' });

function openaiSays(over: Json): string | null {
  const tools = [{ type: 'function', function: { name: 'a', parameters: { type: 'object' } } }];
  const body = { model: 'gpt-4o', tools, messages: [{ role: 'user', content: 'hi' }], ...over };
  return openaiRefusal(recorded('/v1/chat/completions', body))?.message ?? null;
}

test('the OpenAI mock accepts a plain tool exchange', () => {
  const messages = [
    { role: 'user', content: 'go' },
    { role: 'assistant', content: null, tool_calls: [call('1'), call('2')] },
    tool('2'),
    tool('1'),
  ];
  expect(openaiSays({ messages })).toBeNull();
});

test.each<[string, Json, string]>([
  ['an unknown field', { thinking: {} }, 'Unrecognized request argument'],
  ['no messages', { messages: [] }, 'too short'],
  [
    'a call without result',
    {
      messages: [
        { role: 'assistant', tool_calls: [call('1')] },
        { role: 'user', content: 'x' },
      ],
    },
    'did not have response messages: 1',
  ],
  [
    'a notice between results',
    {
      messages: [
        { role: 'assistant', tool_calls: [call('1'), call('2')] },
        tool('1'),
        { role: 'user', content: 'x' },
        tool('2'),
      ],
    },
    'did not have response messages: 2',
  ],
  ['an orphaned result', { messages: [tool('1')] }, "must be a response to a preceeding message with 'tool_calls'"],
  ['an empty list of calls', { messages: [{ role: 'assistant', content: 'a', tool_calls: [] }] }, 'too short'],
  ['an answer without content', { messages: [{ role: 'assistant', content: null }] }, 'expected a string, got null'],
  [
    'arguments as an object',
    { messages: [{ role: 'assistant', tool_calls: [{ ...call('1'), function: { name: 'a', arguments: {} } }] }] },
    'expected a string',
  ],
  ['max_tokens for a reasoning model', { model: 'gpt-5', max_tokens: 9 }, "Use 'max_completion_tokens'"],
  ['temperature for a reasoning model', { model: 'o3', temperature: 1 }, "'temperature' is not supported"],
  ['stream_options without stream', { stream_options: {} }, "only allowed when 'stream'"],
  ['a choice without tools', { tools: undefined, tool_choice: 'auto' }, "only allowed when 'tools'"],
  ['five stops', { stop: ['a', 'b', 'c', 'd', 'e'] }, 'array too long'],
])('the OpenAI mock refuses %s', (_, over, message) => {
  expect(openaiSays(over)).toContain(message);
});

test.each<[string, Json, string]>([
  ['an unknown field', { truncate: true }, 'Unrecognized request argument supplied: truncate'],
  ['no model', { model: '' }, 'you must provide a model'],
  ['no texts', { input: [] }, "'$.input' is invalid"],
  ['an empty text', { input: ['a', ''] }, 'an empty string'],
  ['half a character', { input: ['\ud83d'] }, "'$.input' is invalid"],
  ['too many texts', { input: Array<string>(2049).fill('a') }, 'too many'],
  ['a text that is too long', { input: ['x'.repeat(40_000)] }, 'maximum context length is 8192'],
  ['too many tokens', { input: Array<string>(40).fill('x'.repeat(32_000)) }, 'too many tokens'],
  ['a shorter vector of a model without', { dimensions: 2 }, 'does not support specifying dimensions'],
  ['no dimensions', { model: 'text-embedding-3-small', dimensions: 0 }, "Invalid 'dimensions'"],
])('the OpenAI mock refuses embeddings: %s', (_, over, message) => {
  const body = { model: 'e', input: ['a'], ...over };
  expect(openaiRefusal(recorded('/v1/embeddings', body))?.message).toContain(message);
  expect(openaiRefusal(recorded('/v1/embeddings', { model: 'e', input: ['a'] }))).toBeNull();
});
