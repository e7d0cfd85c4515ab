import { expect, test } from 'vitest';
import { z } from 'zod';
import { streamRoute } from '../../../src/http/route/route.ts';
import { testApi } from '../../support/api.ts';

const { start } = testApi();

/** Sends its parameter, and then nothing until its signal is aborted. */
function endless(aborted: () => void) {
  return streamRoute({
    id: 'endless',
    method: 'GET',
    path: '/endless/{word}',
    tag: 'test',
    summary: 'A stream',
    scope: 'read',
    params: z.strictObject({ word: z.string() }),
    media: ['text/event-stream'],
    described: { items: z.unknown() },
    respond: async ({ signal }, { path }) => {
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(path.word));
          signal.addEventListener('abort', () => {
            controller.close();
            aborted();
          });
        },
      });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    },
  });
}

test('a stream ends when its client leaves', async () => {
  const ended = Promise.withResolvers<void>();
  const { url, tokenOf } = await start({ routes: [endless(ended.resolve)] });
  const leaving = new AbortController();
  const headers = { authorization: `Bearer ${await tokenOf('alice')}` };
  const response = await fetch(`${url}/api/v1/endless/hello`, { headers, signal: leaving.signal });
  const { value } = await response.body!.getReader().read();
  expect([response.status, new TextDecoder().decode(value)]).toEqual([200, 'hello']);
  leaving.abort();
  await ended.promise;
});

test('a stream ends when the server stops, which waits for no client', async () => {
  const ended = Promise.withResolvers<void>();
  const { url, tokenOf, stop } = await start({ routes: [endless(ended.resolve)] });
  const headers = { authorization: `Bearer ${await tokenOf('alice')}` };
  const response = await fetch(`${url}/api/v1/endless/hello`, { headers });
  await stop();
  await ended.promise;
  expect(await response.text()).toBe('hello');
});
