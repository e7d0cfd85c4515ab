/** Servers at URLs that misbehave. The server is played here, so that each answer is known byte for byte. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { setUpMcp } from '../../support/mcp/mcp-bench.ts';

interface Asked {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly name?: string };
}

type Answer = (asked: Asked, request: IncomingMessage, response: ServerResponse) => boolean;

test('headers come from variables and reach the server only; errors do not contain them', async () => {
  const seen: string[] = [];
  const elsewhere = await serve((_, { headers }) => {
    seen.push(headers.authorization ?? 'none');
    return false;
  });
  const { bench, requests } = await setUp((asked, _, response) => {
    if (asked.method !== 'tools/call') return false;
    response.writeHead(307, { location: `${elsewhere}/mcp` }).end();
    return true;
  });
  const { call } = await bench.open();
  const { content, isError } = await call('echo');
  expect(isError).toBe(true);
  expect(content).not.toContain('secret-value');
  expect(seen).toEqual([]);
  expect(requests.every(({ authorization }) => authorization === 'Bearer secret-value')).toBe(true);
});

test('a refused login is no doubt, an error of the server is', async () => {
  const statuses = [401, 500];
  const { bench } = await setUp((asked, _, response) => {
    if (asked.method !== 'tools/call') return false;
    response.writeHead(statuses.shift()!).end('Bearer secret-value is wrong');
    return true;
  });
  const { call } = await bench.open();
  const refused = await call('echo');
  expect(refused).toMatchObject({ isError: true });
  expect(refused.inDoubt).toBeUndefined();
  expect(refused.content).not.toContain('secret-value');
  expect(await call('echo')).toMatchObject({ isError: true, inDoubt: true });
});

test('a server that has forgotten the session gets a new one, and the call', async () => {
  let sessions = 0;
  const { bench, requests } = await setUp((asked, { headers }, response) => {
    if (asked.method === 'initialize') response.setHeader('mcp-session-id', `s${++sessions}`);
    if (asked.method !== 'tools/call' || headers['mcp-session-id'] !== 's2') return false;
    response.writeHead(404).end();
    return true;
  });
  const { call } = await bench.open();
  expect(await call('echo')).toMatchObject({ content: 'done' });
  expect(requests.filter(({ method }) => method === 'tools/call').map(({ session }) => session)).toEqual(['s2', 's3']);
});

test('a server that cannot be reached is tried again later each time', async () => {
  let isDown = false;
  const { bench } = await setUp((_asked, _request, response) => {
    if (isDown) response.writeHead(503).end();
    return isDown;
  });
  const { call } = await bench.open();
  isDown = true;
  const begunMs = performance.now();
  for (let n = 0; n < 3; n++) expect(await call('echo')).toMatchObject({ isError: true });
  // 250 and 500, by clocks that may differ by a little.
  expect(performance.now() - begunMs).toBeGreaterThan(700);
});

test('the end of the focus ends a call that waits for the server to begin', async () => {
  const asked = Promise.withResolvers<void>();
  let isSilent = false;
  const { bench } = await setUp(() => {
    if (isSilent) asked.resolve();
    return isSilent;
  });
  const { call, close } = await bench.open();
  isSilent = true;
  const ended = expect(call('echo')).rejects.toThrow('the focus is over');
  await asked.promise;
  await close?.();
  await ended;
});

test.each(['application/json', 'text/event-stream'])('an endless body of %s is cut off', async (type) => {
  let sent = 0;
  const { bench } = await setUp((asked, _, response) => {
    if (asked.method !== 'tools/call') return false;
    response.writeHead(200, { 'content-type': type });
    const part = `data: ${'x'.repeat(65_530)}`;
    const write = (): void => {
      while (!response.destroyed && response.write(part)) sent += part.length;
      if (!response.destroyed) response.once('drain', write);
    };
    write();
    return true;
  });
  const { call } = await bench.open();
  const cut = await call('echo');
  expect(cut).toMatchObject({ isError: true, inDoubt: true });
  expect(cut.content).toContain('it sent a message of more than 10 MiB');
  expect(sent).toBeLessThan(30 * 2 ** 20);
});

async function setUp(answer: Answer) {
  const requests: { method: string; authorization?: string | undefined; session?: string | undefined }[] = [];
  const url = await serve((asked, request, response) => {
    const { authorization } = request.headers;
    requests.push({ method: asked.method, authorization, session: request.headers['mcp-session-id'] as string });
    return answer(asked, request, response);
  });
  const bench = await setUpMcp({
    name: 'remote',
    command: null,
    args: [],
    url: `${url}/mcp`,
    environment: [],
    headers: { Authorization: 'TOKEN' },
    variables: { TOKEN: 'Bearer secret-value' },
  });
  await bench.pin();
  return { bench, requests };
}

/** Answers like a server with one tool, unless `answer` does. */
async function serve(answer: Answer): Promise<string> {
  const server = createServer((request, response) => void respond(request, response, answer));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function respond(request: IncomingMessage, response: ServerResponse, answer: Answer): Promise<unknown> {
  if (request.method !== 'POST') return response.writeHead(405).end();
  const asked = (await json(request)) as Asked;
  if (answer(asked, request, response)) return null;
  if (asked.id === undefined) return response.writeHead(202).end();
  const result = resultOf(asked);
  response.writeHead(200, { 'content-type': 'application/json' });
  return response.end(JSON.stringify({ jsonrpc: '2.0', id: asked.id, result }));
}

function resultOf({ method }: Asked): object {
  const tool = { name: 'echo', inputSchema: { type: 'object' } };
  if (method === 'tools/list') return { tools: [tool] };
  if (method === 'tools/call') return { content: [{ type: 'text', text: 'done' }] };
  const serverInfo = { name: 'played', version: '1' };
  return { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo };
}
