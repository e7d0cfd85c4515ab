/** Servers that are none of ours, or that were taken over. */
import { expect, test } from 'vitest';
import { collect, json, problem, startFakeServer } from './fake-server.ts';

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: unknown) => error,
  );

test.each([301, 302, 307, 308])('a redirect with %i is not followed, and its host gets nothing', async (status) => {
  const other = await startFakeServer([json({})]);
  const { client, requests } = await startFakeServer([
    (response) => response.writeHead(status, { location: `${other.url}/api/v1/work?secret=1` }).end(),
  ]);
  for (const call of [
    () => client.work.show('x'),
    () => client.work.submit({ faculty: 'a' }),
    () => client.artifacts.read('x'),
    () => client.work.events('x').next(),
  ]) {
    const error = await failure(call());
    expect(error).toMatchObject({ code: 'client.redirected', status, remedy: expect.stringContaining('baseUrl') });
    expect((error as Error).message).toBe(`the server answered with a redirect to ${other.url}`);
  }
  expect([requests.length, other.requests.length]).toEqual([4, 0]);
});

test.each([
  ['a page', 'text/html', '<h1>Login</h1>', 200],
  ['broken JSON', 'application/json', '{"id":', 200],
  ['an error without a problem', 'text/html', 'Bad Gateway', 500],
  ['a problem without a code', 'application/problem+json', '{"status":400}', 400],
])('%s is an error', async (_, type, body, status) => {
  const { client, requests } = await startFakeServer([
    (response) => response.writeHead(status, { 'content-type': type }).end(body),
  ]);
  expect(await failure(client.work.show('x'))).toMatchObject({ code: 'client.protocol', status });
  expect(requests.length).toBe(1);
});

test('an endless answer is not read to its end', async () => {
  const piece = Buffer.alloc(1024 * 1024, ' ');
  let left = false;
  const { client } = await startFakeServer([
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.once('close', () => (left = true));
      const write = () => {
        while (!response.destroyed && response.write(piece));
      };
      response.on('drain', write);
      write();
    },
  ]);
  expect(await failure(client.work.show('x'))).toMatchObject({ message: expect.stringContaining('more than') });
  await expect.poll(() => left).toBe(true);
});

test.each(['.', '..', ''])('the path parameter %j is refused before anything is sent', async (id) => {
  const { client, requests } = await startFakeServer([json({})]);
  expect(await failure((async () => client.work.show(id))())).toMatchObject({ code: 'client.invalid' });
  expect(requests.length).toBe(0);
});

test('a list whose page is followed by itself ends', async () => {
  const { client } = await startFakeServer([json({ items: ['a'], next: 'same' })]);
  expect(await failure(collect(client.work.list()))).toMatchObject({ code: 'client.protocol' });
});

test('a proxy that answers 502 with a page is tried again', async () => {
  const page = (response: Parameters<ReturnType<typeof json>>[0]) =>
    void response.writeHead(502, { 'content-type': 'text/html' }).end('no');
  const { client, requests } = await startFakeServer([page, problem(504, 'http.x'), json({})]);
  await client.operate.status();
  expect(requests.length).toBe(3);
});
