import { expect, test } from 'vitest';
import { ApiError, type ChatEvent } from '../../../../src/client/client.ts';
import { type FollowOptions, followChat } from '../../../../src/console/pages/chat/follow-chat.ts';

const event = (type: string, id?: string, more: object = {}) =>
  ({ type, ...(id !== undefined && { id }), ...more }) as unknown as ChatEvent;
const lost = new ApiError('client.unreachable', 'no answer', { retryable: true });

/** Each connection yields its events, then fails, or ends. */
async function follow(connections: readonly (readonly ChatEvent[] | ApiError)[][]) {
  const log: string[] = [];
  const left = [...connections];
  const client = {
    chats: {
      async *events(_workspace: string, _chat: string, { after }: { readonly after: string }) {
        log.push(`connect ${after}`);
        for (const each of left.shift() ?? []) {
          if (each instanceof ApiError) throw each;
          yield* each;
        }
      },
    },
  } as unknown as FollowOptions['client'];
  const result = followChat({
    client,
    workspace: 'w',
    chat: 'c',
    signal: new AbortController().signal,
    onReady: async () => void log.push('read'),
    onEvent: ({ type }) => void log.push(type),
    onLost: (why) => void log.push(why === null ? 'back' : `lost: ${why}`),
    sleep: async (ms) => void log.push(`wait ${ms}`),
  });
  const problem = await result.then(
    () => null,
    (error: unknown) => (error as Error).message,
  );
  return { log: log.filter((line, at) => line !== 'back' || log[at - 1] !== 'back'), problem };
}

test('reads the messages when it is connected, and goes on after the last event', async () => {
  const { log, problem } = await follow([
    [[event('position', 'p'), event('said', '1'), event('text')], lost],
    [lost],
    [[event('said', '2')]],
  ]);
  expect(log).toEqual([
    'connect now',
    'read',
    'back',
    'said',
    'back',
    'text',
    'lost: no answer',
    'wait 1000',
    'connect 1',
    'lost: no answer',
    'wait 2000',
    'connect 1',
    'back',
    'said',
  ]);
  expect(problem).toBeNull();
});

test('begins anew if the messages could not be read', async () => {
  const { log } = await follow([[lost], [[event('position', 'p')]]]);
  expect(log.filter((line) => line.startsWith('connect'))).toEqual(['connect now', 'connect now']);
});

test('ends when nothing mends it', async () => {
  expect((await follow([[new ApiError('work.not_found', 'it is gone', { status: 404 })]])).problem).toBe('it is gone');
  expect((await follow([[[event('closed', undefined, { code: 'work.not_found' })]]])).problem).toBe('work.not_found');
});
