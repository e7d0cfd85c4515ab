import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, request as httpRequest } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect as connectTcp, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { HttpProviderSettings } from '../../../src/llm/provider-settings.ts';
import { startAnthropicServer, text } from '../../support/model-server/anthropic.ts';
import { answered, call, failed, llmOf } from '../llm-call.ts';

const tls = (name: string) => readFileSync(new URL(`../../fixtures/tls/${name}`, import.meta.url), 'utf8');
const opened: (() => Promise<void>)[] = [];
const ONCE = { retry: { maxAttempts: 1 } };

afterEach(async () => {
  for (const end of opened.splice(0).toReversed()) await end();
});

async function serveModel() {
  const server = await startAnthropicServer([{ content: [text('hi')] }]);
  opened.push(server.close);
  return server;
}

/** An HTTPS server in front of a model, with a certificate of an authority that nobody knows. */
async function serveTls(upstream: string): Promise<string> {
  const server = createHttpsServer({ key: tls('server.key'), cert: tls('server.pem') }, (incoming, outgoing) => {
    const { method, url = '', headers } = incoming;
    const onwards = httpRequest(new URL(url, upstream), { ...(method && { method }), headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onwards);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `https://localhost:${(server.address() as AddressInfo).port}`;
}

/** A proxy that knows one user. It writes down where it was asked to go. */
async function serveProxy(login: string) {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const knows = (header: string | undefined) => header === `Basic ${Buffer.from(login).toString('base64')}`;
  const server = createHttpServer((incoming, outgoing) => {
    asked.push(`${incoming.method} ${incoming.url}`);
    if (!knows(incoming.headers['proxy-authorization'])) {
      outgoing.writeHead(407).end();
      return;
    }
    const { 'proxy-authorization': _, ...headers } = incoming.headers;
    const { method, url = '' } = incoming;
    const onwards = httpRequest(url, { ...(method && { method }), headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onwards);
  });
  server.on('connect', (incoming, socket: Socket) => {
    asked.push(`CONNECT ${incoming.url}`);
    if (!knows(incoming.headers['proxy-authorization'])) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    const onwards = connectTcp(Number(incoming.url?.split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      onwards.pipe(socket).pipe(onwards);
    });
    for (const each of [socket, onwards]) {
      sockets.add(each);
      each.on('error', () => each.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.push(async () => {
    for (const each of sockets) each.destroy();
    server.closeAllConnections();
    server.close();
  });
  return { url: `127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

function connect(baseUrl: string, settings: Partial<HttpProviderSettings> = {}) {
  const llm = llmOf({ kind: 'anthropic', baseUrl, ...settings });
  opened.push(() => llm.stop());
  return llm;
}

test('an authority of one’s own is trusted, for this provider only', async () => {
  const url = await serveTls((await serveModel()).url);
  const failure = failed(await call(connect(url, ONCE)));
  expect(failure).toMatchObject({
    kind: 'connection',
    network: 'certificate',
    message: expect.stringMatching(/certificate/),
  });
  expect(answered(await call(connect(url, { ca: tls('ca.pem') }))).content).toEqual([{ type: 'text', text: 'hi' }]);
});

test('HTTPS goes through a proxy by CONNECT, with user and password', async () => {
  const url = await serveTls((await serveModel()).url);
  const proxy = await serveProxy('me:pa ss');
  const settings = { ca: tls('ca.pem'), proxy: `http://me:pa%20ss@${proxy.url}` };
  answered(await call(connect(url, settings)));
  expect(proxy.asked).toEqual([`CONNECT ${new URL(url).host}`]);
});

test('HTTP goes through it as well', async () => {
  const server = await serveModel();
  const proxy = await serveProxy('me:pass');
  answered(await call(connect(server.url, { proxy: `http://me:pass@${proxy.url}` })));
  expect(proxy.asked).toEqual([`POST ${server.url}/v1/messages`]);
  expect(server.requests[0]?.headers['proxy-authorization']).toBeUndefined();
});

test.each(['http', 'https'])(
  'a proxy that refuses the login is a failed connection (%s), without its password',
  async (scheme) => {
    const model = await serveModel();
    const url = scheme === 'https' ? await serveTls(model.url) : model.url;
    const proxy = await serveProxy('me:pass');
    const settings = { ca: tls('ca.pem'), proxy: `http://me:wrong-pass@${proxy.url}`, ...ONCE };
    const failure = failed(await call(connect(url, settings)));
    expect(failure).toMatchObject({ kind: 'connection', network: 'proxy', message: expect.stringContaining('407') });
    expect(failure.message).not.toContain('wrong-pass');
    expect(model.requests).toEqual([]);
  },
);

test('a proxy that is not there is a failed connection', async () => {
  const url = await serveTls((await serveModel()).url);
  const failure = failed(await call(connect(url, { proxy: 'http://127.0.0.1:9', ...ONCE })));
  expect(failure).toMatchObject({ kind: 'connection' });
});
