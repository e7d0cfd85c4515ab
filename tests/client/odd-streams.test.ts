/** How the client follows the streams of servers that ask for what no server should, and of odd bytes. */
import { expect, test, vi } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { breaks, collect, event, problem, startFakeServer, stream } from './fake-server.ts';

const over = (response: Parameters<typeof breaks>[0]) => void response.writeHead(204).end();
const hint = 'event: text\ndata: {"type":"text","live":true,"text":"hi"}\n\n';

test.each([
  ['asks for no pause', 'retry: 0\n\n'],
  ['asks for a pause of ages', 'retry: 99999999999999\n\n'],
  ['asks for no pause, and sends a hint', `retry: 0\n\n${hint}`],
])('a server that ends each stream at once and %s is not asked without a break', async (_, text) => {
  const { client, requests } = await startFakeServer([
    (response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text),
  ]);
  const leaving = new AbortController();
  setTimeout(() => leaving.abort(new Error('enough')), 400);
  await expect(collect(client.work.events('x', { signal: leaving.signal }))).rejects.toThrow('enough');
  // 1, 2, 4, 8 … ms
  expect(requests.length).toBeLessThan(14);
});

test('a server that can be asked again in a year is given up at once', async () => {
  const { client, requests } = await startFakeServer([
    stream([event('1')], 'cut'),
    problem(503, 'http.starting', { 'retry-after': '31536000' }),
  ]);
  const events = client.work.events('x');
  await events.next();
  await expect(events.next()).rejects.toMatchObject({ code: 'http.starting', retryAfterMs: 31_536_000_000 });
  expect(requests.length).toBe(2);
});

test('a clock that is set forward does not end its patience', async () => {
  const now = vi.spyOn(Date, 'now');
  const { client } = await startFakeServer([stream([event('1')], 'cut'), breaks, stream([event('2')]), over]);
  const events = client.work.events('x');
  await events.next();
  let atMs = Date.now();
  now.mockImplementation(() => (atMs += 86_400_000));
  try {
    expect(await events.next()).toMatchObject({ value: { id: '2' } });
    expect(await events.next()).toMatchObject({ done: true });
  } finally {
    now.mockRestore();
  }
});

test.each(['', 'a\nb', 'ö', 5])(
  'an event with the id %j, which no header can contain, ends it with an error',
  async (id) => {
    const { client, requests } = await startFakeServer([
      stream([`data: ${JSON.stringify({ type: 'text', id })}\n\n`], 'open'),
    ]);
    await expect(client.work.events('x').next()).rejects.toMatchObject({ code: 'client.protocol' });
    expect(requests.length).toBe(1);
  },
);

test.each(['\n', '\r\n', '\r'])(
  'it reads a stream byte by byte, with a byte order mark and line ends %j',
  async (end) => {
    const texts = ['Grüße', '🦉', 'line\u2028separator'];
    const body = `\ufeff: a comment\n\n${texts.map((text, n) => `id: ${n}\ndata: ${JSON.stringify({ type: 'text', id: `${n}`, text })}\n\n`).join('')}`;
    const { client } = await startFakeServer([
      async (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.socket!.setNoDelay(true);
        for (const byte of Buffer.from(body.replaceAll('\n', end))) {
          await new Promise<void>((resolve) => response.write(Buffer.of(byte), () => resolve()));
        }
        response.end();
      },
      over,
    ]);
    const events = (await collect(client.work.events('x'))) as unknown as { text: string }[];
    expect(events.map(({ text }) => text)).toEqual(texts);
  },
);

test('a `fetch` that heeds no signal is released, too', async () => {
  let cancelled = 0;
  const body = () =>
    new ReadableStream({
      start: (controller) => controller.enqueue(Buffer.from(event('1'))),
      cancel: () => void cancelled++,
    });
  const headers = { 'content-type': 'text/event-stream' };
  const client = createClient({
    baseUrl: 'http://x',
    token: 't',
    fetch: async () => new Response(body(), { headers }),
  });
  for await (const _ of client.work.events('x')) break;
  await expect.poll(() => cancelled).toBe(1);
  const silent = client.work.events('x', { silenceMs: 20, patienceMs: 0 });
  await silent.next();
  await expect(silent.next()).rejects.toMatchObject({ code: 'client.timeout' });
});
