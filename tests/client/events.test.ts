/** How the client follows a stream of events over broken connections. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { breaks, collect, event, problem, startFakeServer, stream } from './fake-server.ts';

const over = (response: Parameters<typeof breaks>[0]) => void response.writeHead(204).end();
const ids = (events: readonly object[]) => events.map((one) => ('id' in one ? one.id : 'hint'));
const hint = 'event: text\ndata: {"type":"text","live":true,"text":"hi"}\n\n';

test('it goes on after the last recorded event, until the server says that there is no more', async () => {
  const { client, requests } = await startFakeServer([
    breaks,
    stream([event('1'), hint, event('2')], 'cut'),
    problem(503, 'http.starting'),
    // An event that has not arrived whole is not one.
    stream([event('3'), 'id: 4\ndata: {"type":"te'], 'cut'),
    stream([]),
    stream([event('4'), ': \n\n', event('5')]),
    over,
  ]);
  const events = await collect(client.work.events('x', { after: '0' }));
  expect(ids(events)).toEqual(['1', 'hint', '2', '3', '4', '5']);
  expect(requests.map(({ headers }) => headers['last-event-id'])).toEqual([
    undefined,
    undefined,
    '2',
    '2',
    '3',
    '3',
    '5',
  ]);
  const [path, after] = ['/api/v1/work/x/events', '?after=0'];
  expect(requests.map((one) => one.path)).toEqual([path + after, path + after, ...Array<string>(5).fill(path)]);
  expect(requests[0]!.headers).toMatchObject({ accept: 'text/event-stream', authorization: 'Bearer the-token' });
});

test('a silent connection is given up, heartbeats keep one', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let sent: ReadableStreamDefaultController<Uint8Array> | null = null;
  const body = new ReadableStream<Uint8Array>({ start: (controller) => void (sent = controller) });
  const send = (text: string) => sent!.enqueue(Buffer.from(text));
  const headers = { 'content-type': 'text/event-stream' };
  const answers = [new Response(body, { headers }), new Response(null, { status: 204 })];
  const client = createClient({ baseUrl: 'http://x', token: 't', fetch: async () => answers.shift()! });
  const events = client.work.events('x', { silenceMs: 150 });
  send(event('1'));
  expect(await events.next()).toMatchObject({ value: { id: '1' } });
  const second = events.next();
  for (let beats = 0; beats < 8; beats++) {
    await vi.advanceTimersByTimeAsync(100);
    send(': \n\n');
    await vi.advanceTimersByTimeAsync(0);
  }
  send(event('2'));
  expect(await second).toMatchObject({ value: { id: '2' } });
  const last = events.next();
  await vi.advanceTimersByTimeAsync(149);
  expect(answers).toHaveLength(1);
  // The silence, and the pause before the next connection.
  await vi.advanceTimersByTimeAsync(1 + 1000);
  expect(await last).toMatchObject({ done: true });
  expect(answers).toHaveLength(0);
});

test.each([
  [401, 'http.unauthorized'],
  [404, 'work.not_found'],
  [500, 'internal.bug'],
])('%i ends it with an error', async (status, code) => {
  const { client } = await startFakeServer([stream([event('1')], 'cut'), problem(status, code)]);
  const events = client.work.events('x');
  expect(await events.next()).toMatchObject({ value: { id: '1' } });
  await expect(events.next()).rejects.toMatchObject({ status, code });
});

test('gives up when the server is not reached for too long', async () => {
  const { client } = await startFakeServer([stream([event('1')], 'cut'), breaks]);
  const events = client.work.events('x', { patienceMs: 0 });
  await events.next();
  await expect(events.next()).rejects.toMatchObject({ code: 'client.unreachable' });
});

test('a signal ends it with its reason; leaving the loop closes the connection', async () => {
  let closed = 0;
  const { client } = await startFakeServer([
    (response, request) => {
      response.once('close', () => closed++);
      stream([event('1')], 'open')(response, request);
    },
  ]);
  const leaving = new AbortController();
  const events = client.work.events('x', { signal: leaving.signal });
  await events.next();
  const next = events.next();
  leaving.abort(new Error('enough'));
  await expect(next).rejects.toThrow('enough');
  for await (const one of client.work.events('x')) {
    expect(one).toMatchObject({ id: '1' });
    break;
  }
  await expect.poll(() => closed).toBe(2);
});

test('it reads no faster than the loop', async () => {
  const piece = `: ${'x'.repeat(65_536)}\n\n${event('1')}`;
  let written = 0;
  const { client } = await startFakeServer([
    (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const write = () => {
        for (let more = true; more && !response.destroyed; written++) more = response.write(piece);
      };
      response.on('drain', write);
      write();
    },
  ]);
  const events = client.work.events('x');
  await events.next();
  await expect
    .poll(async () => {
      const before = written;
      await new Promise((done) => setImmediate(done));
      return written - before;
    })
    .toBe(0);
  const atRest = written;
  for (let n = 0; n < 200; n++) await events.next();
  await expect.poll(() => written).toBeGreaterThan(atRest);
  expect(atRest).toBeLessThan(2_000);
  await events.return();
});

test.each([
  [
    'a page',
    (response: Parameters<typeof breaks>[0]) => void response.writeHead(200, { 'content-type': 'text/html' }).end('hi'),
  ],
  ['an event that is not JSON', stream(['data: hi\n\n'], 'open')],
  ['an event without a type', stream(['data: {"id":1}\n\n'], 'open')],
])('%s ends it with an error', async (_, answer) => {
  const { client, requests } = await startFakeServer([answer]);
  await expect(client.work.events('x').next()).rejects.toMatchObject({ code: 'client.protocol' });
  expect(requests.length).toBe(1);
});

test('an endless line is given up', async () => {
  const piece = Buffer.alloc(1024 * 1024, 'x');
  const { client } = await startFakeServer([
    (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: ');
      const write = () => {
        while (!response.destroyed && response.write(piece));
      };
      response.on('drain', write);
      write();
    },
  ]);
  await expect(client.work.events('x').next()).rejects.toMatchObject({
    message: expect.stringContaining('an event has more than'),
  });
});
