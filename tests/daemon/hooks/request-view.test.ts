import { expect, test } from 'vitest';
import type { ContentBlock, Message } from '../../../src/core/work/conversation.ts';
import { viewRequest } from '../../../src/daemon/hooks/request-view.ts';

const MIB = 1024 * 1024;
const message = (role: Message['role'], ...content: readonly ContentBlock[]): Message => ({ role, content });
const text = (words: string): ContentBlock => ({ type: 'text', text: words });
const size = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

test('shows text, calls and results; files by their name, reasoning not at all', () => {
  const thinking: ContentBlock = { type: 'thinking', text: 'hmm', provider: 'p', model: 'm' };
  const image: ContentBlock = { type: 'image', mediaType: 'image/png', data: 'aaaa', name: 'a.png' };
  const result: ContentBlock = {
    type: 'tool_result',
    callId: 'c',
    isError: true,
    content: [{ type: 'text', text: 'no' }],
  };
  const call: ContentBlock = { type: 'tool_call', id: 'c', name: 'bash', input: { command: 'ls' } };
  expect(
    viewRequest([message('user', text('do'), image), message('assistant', thinking, call), message('user', result)]),
  ).toEqual({
    omitted_messages: 0,
    messages: [
      { role: 'user', content: [text('do'), { type: 'image', media_type: 'image/png', name: 'a.png' }] },
      { role: 'assistant', content: [{ type: 'tool_call', id: 'c', name: 'bash', input: { command: 'ls' } }] },
      { role: 'user', content: [{ type: 'tool_result', call_id: 'c', is_error: true, text: 'no' }] },
    ],
  });
});

test('leaves out the oldest messages beyond 1 MiB, and cuts long texts and inputs', () => {
  const messages = Array.from({ length: 100 }, (_, n) =>
    message(n % 2 === 0 ? 'user' : 'assistant', text(`${n} ${'ä"'.repeat(20_000)}`)),
  );
  const view = viewRequest(messages);
  expect(size(view.messages)).toBeLessThan(MIB);
  expect(view.messages.length).toBeGreaterThan(5);
  expect(view.omitted_messages).toBe(100 - view.messages.length);
  expect(JSON.stringify(view.messages.at(-1))).toContain('99 ä');
  const call: ContentBlock = { type: 'tool_call', id: 'c', name: 'write_file', input: { content: 'x'.repeat(MIB) } };
  const cut = JSON.stringify(viewRequest([message('assistant', call)]));
  expect(cut).toContain('"input_text":');
  expect(cut.length).toBeLessThan(70_000);
});

test('shows the newest message in any case', () => {
  const results = Array.from(
    { length: 64 },
    (_, n): ContentBlock => ({
      type: 'tool_result',
      callId: String(n),
      isError: false,
      content: [{ type: 'text', text: '\u0001'.repeat(60_000) }],
    }),
  );
  const view = viewRequest([message('user', text('first')), message('user', ...results)]);
  expect(view).toMatchObject({ omitted_messages: 1, messages: [{ content: { length: 64 } }] });
  expect(size(view.messages)).toBeLessThan(2 * MIB);
});
