/** What a reader sees live is what is recorded, once, whatever a server repeats, renumbers or leaves out. */
import { describe, expect, test } from 'vitest';
import type { HttpProviderSettings } from '../../src/llm/provider-settings.ts';
import { answered, call } from './llm-call.ts';
import { connect, serveRaw } from './served-llm.ts';

const say = (text: string, id?: string) => ({
  type: 'message',
  ...(id !== undefined && { id }),
  role: 'assistant',
  content: [{ type: 'output_text', text }],
});
const use = (callId: string, id: string) => ({
  type: 'function_call',
  id,
  call_id: callId,
  name: 'read_file',
  arguments: '{}',
});
const begin = (index: number | null, item: Record<string, unknown>) => ({
  type: 'response.output_item.added',
  ...(index !== null && { output_index: index }),
  item: { ...item, ...('content' in item && { content: [] }), ...('summary' in item && { summary: [] }) },
});
const delta = (index: number | null, text: string, id?: string, kind = 'output_text') => ({
  type: `response.${kind}.delta`,
  ...(index !== null && { output_index: index }),
  ...(id !== undefined && { item_id: id }),
  delta: text,
});
const done = (output: unknown[], type = 'response.completed', status = 'completed') => ({
  type,
  response: { id: 'r', status, output, usage: { input_tokens: 1, output_tokens: 1 } },
});

async function told(settings: Partial<HttpProviderSettings>, events: readonly object[]) {
  const parts = events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
  const { url } = await serveRaw({ status: 200, headers: { 'content-type': 'text/event-stream' }, parts });
  const live = { text: '', thinking: '', calls: 0 };
  const llm = connect(url, { ...settings, retry: { maxAttempts: 1 } });
  const result = await call(llm, {}, (event) => {
    if (event.type === 'text') live.text += event.text;
    else if (event.type === 'thinking') live.thinking += event.text;
    else if (event.type === 'tool_call') live.calls += 1;
  });
  const { content, stopReason } = answered(result);
  const of = (type: string) =>
    content.flatMap((each) => (each.type === type && 'text' in each ? each.text : [])).join('');
  const recorded = {
    text: of('text'),
    thinking: of('thinking'),
    calls: content.filter(({ type }) => type === 'tool_call').length,
  };
  expect(live).toEqual(recorded);
  return { ...recorded, stopReason };
}

describe('Responses', () => {
  test.each<[string, object[], object]>([
    [
      'items are counted from 1',
      [begin(1, say('', 'm')), delta(1, 'Hello'), done([say('Hello', 'm')])],
      { text: 'Hello' },
    ],
    [
      'the output has other ids',
      [begin(1, say('', 'm')), delta(1, 'Hello'), done([say('Hello', 'other')])],
      { text: 'Hello' },
    ],
    [
      'the output has no ids',
      [begin(3, say('')), delta(3, 'Hello'), begin(7, use('c', '')), done([say('Hello'), use('c', '')])],
      { text: 'Hello', calls: 1 },
    ],
    [
      'calls come first in the output',
      [begin(0, say('', 'm')), delta(0, 'Hello'), begin(1, use('c', 'f')), done([use('c', 'f'), say('Hello', 'm')])],
      { text: 'Hello', calls: 1 },
    ],
    [
      'no event says its index',
      [
        begin(null, say('', 'm')),
        delta(null, 'Hello', 'm'),
        begin(null, say('', 'n')),
        delta(null, ' you', 'n'),
        done([say('Hello', 'm'), say(' you', 'n')]),
      ],
      { text: 'Hello you' },
    ],
    [
      'no event of a call says its index or its item',
      [
        begin(null, use('c', '')),
        delta(null, '{}', undefined, 'function_call_arguments'),
        { type: 'response.output_item.done', item: use('c', '') },
        done([]),
      ],
      { calls: 1 },
    ],
    [
      'an item was not streamed',
      [begin(0, say('', 'm')), delta(0, 'Hello'), done([say('Hello', 'm'), say(' you', 'n')])],
      { text: 'Hello you' },
    ],
    ['nothing was streamed', [done([say('Hello', 'm')])], { text: 'Hello' }],
    ['only deltas came', [delta(5, 'Hello'), done([])], { text: 'Hello' }],
    [
      'it is complete',
      [delta(0, 'Hello'), done([say('Hello')], 'response.complete', 'complete')],
      { text: 'Hello', stopReason: 'end_turn' },
    ],
    [
      'it is done',
      [delta(0, 'Hello'), done([say('Hello')], 'response.done', 'complete')],
      { text: 'Hello', stopReason: 'end_turn' },
    ],
    [
      'it is done, and incomplete',
      [delta(0, 'Hello'), done([say('Hello')], 'response.done', 'incomplete')],
      { text: 'Hello', stopReason: 'other' },
    ],
  ])('%s', async (_, events, expected) => {
    expect(await told({ kind: 'openai', wire: 'responses' }, events)).toMatchObject(expected);
  });
});

describe('Anthropic Messages', () => {
  const start = (content: object[]) => ({
    type: 'message_start',
    message: { id: 'm', model: 'x', content, usage: { input_tokens: 1, output_tokens: 0 } },
  });
  const end = [
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
  ];
  const block = (text: string) => ({ type: 'content_block_start', index: 0, content_block: { type: 'text', text } });
  const add = (text: string) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } });
  const whole = { type: 'text', text: 'Hello' };

  test.each<[string, object[]]>([
    ['the whole answer stands in message_start', [start([whole]), ...end]],
    ['it stands there, and is streamed again', [start([whole]), block(''), add('Hel'), add('lo'), ...end]],
    ['it stands there, and its block begins whole', [start([whole]), block('Hello'), ...end]],
    ['it stands there, and goes on', [start([{ type: 'text', text: 'Hel' }]), add('lo'), ...end]],
  ])('%s', async (_, events) => {
    expect(await told({ kind: 'anthropic' }, events)).toMatchObject({ text: 'Hello' });
  });
});

describe('Chat Completions', () => {
  const chunk = (choice: object) => ({ id: 'c', choices: [{ index: 0, ...choice }] });
  const last = { id: 'c', choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } };
  const deltas = [chunk({ delta: { content: 'Hel' } }), chunk({ delta: { content: 'lo' } })];
  const message = { role: 'assistant', content: 'Hello' };

  test.each<[string, object[]]>([
    ['the last chunk has the whole message, too', [...deltas, chunk({ message, finish_reason: 'stop' }), last]],
    ['the last chunk has both', [...deltas, chunk({ delta: {}, message, finish_reason: 'stop' }), last]],
    ['the only chunk is the whole message', [chunk({ message, finish_reason: 'stop' }), last]],
  ])('%s', async (_, events) => {
    expect(await told({ kind: 'openai' }, events)).toMatchObject({ text: 'Hello', stopReason: 'end_turn' });
  });
});
