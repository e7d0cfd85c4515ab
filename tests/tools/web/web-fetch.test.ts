import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Permissions, permissionOf } from '../../../src/core/permissions/permissions.ts';
import { parseRuleKey, type RuleKey } from '../../../src/core/permissions/rule-key.ts';
import { parseWebTarget } from '../../../src/core/text/web-target.ts';
import { webFetch } from '../../../src/tools/web/web-fetch.ts';
import { setUpBench } from '../tool-context.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A server that may be reached, and the tool. */
async function setUp(handler: Handler, overrides: Parameters<typeof setUpBench>[0] = {}) {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const bench = await setUpBench(overrides);
  const tool = webFetch(() => ({ allow: [parseWebTarget(`127.0.0.1:${port}`)!] }));
  const base = `http://127.0.0.1:${port}`;
  return { base, fetch: (path: string, more: object = {}) => bench.call(tool, { url: `${base}${path}`, ...more }) };
}

const answer =
  (body: string | Buffer, headers: Readonly<Record<string, string>>, status = 200): Handler =>
  (_, response) =>
    response.writeHead(status, headers).end(body);

const TEXT = { 'content-type': 'text/plain; charset=utf-8' };

describe('web_fetch', () => {
  test('reads HTML as text, or as it is', async () => {
    const html = '<title>A page</title><h1>Hello</h1><a href="/next">on</a>';
    const { base, fetch } = await setUp(answer(html, { 'content-type': 'text/html; charset=utf-8' }));
    const { content, details } = await fetch('/page');
    expect(content).toBe(
      `${base}/page (status 200, text/html; charset=utf-8)\ntitle: A page\n\n# Hello\n\non (${base}/next)`,
    );
    expect(details).toMatchObject({ url: `${base}/page`, status: 200, redirects: 0 });
    expect((await fetch('/page', { raw: true })).content).toContain(html);
  });

  test('sends no cookies or logins, and says who asks', async () => {
    const seen: IncomingMessage['headers'][] = [];
    const { fetch } = await setUp((request, response) => {
      seen.push(request.headers);
      if (request.url === '/a') response.writeHead(302, { location: '/b', 'set-cookie': 'a=b' }).end();
      else response.writeHead(200, TEXT).end('ok');
    });
    expect((await fetch('/a')).content).toContain('/b (status 200');
    expect(seen).toHaveLength(2);
    for (const headers of seen) {
      expect(Object.keys(headers).toSorted()).toEqual([
        'accept',
        'accept-encoding',
        'connection',
        'host',
        'user-agent',
      ]);
    }
  });

  test.each<[string, string, Buffer, string]>([
    ['by header', 'text/plain; charset=ISO-8859-1', Buffer.from('caf\xe9', 'latin1'), 'café'],
    ['by the page', 'text/html', Buffer.from('<meta charset="windows-1252"><p>\x80 5', 'latin1'), '€ 5'],
    ['by its mark', 'text/plain', Buffer.from('\ufeffhé', 'utf16le'), 'hé'],
    ['of a name that none has', 'text/plain; charset=nonsense', Buffer.from('é'), 'é'],
    ['of no type, with tags', '', Buffer.from('<!DOCTYPE html><p>x</p>'), '\n\nx'],
    ['of JSON', 'application/ld+json', Buffer.from('{"a":1}'), '{"a":1}'],
  ])('decodes text %s', async (_, type, body, expected) => {
    const { fetch } = await setUp(answer(body, type === '' ? {} : { 'content-type': type }));
    const { content } = await fetch('/');
    expect(content.endsWith(expected)).toBe(true);
  });

  test.each<[string, (body: string) => Buffer]>([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('reads %s', async (encoding, compress) => {
    const { fetch } = await setUp(answer(compress('squeezed'), { ...TEXT, 'content-encoding': encoding }));
    expect((await fetch('/')).content).toContain('squeezed');
  });

  test.each<[string, Handler, string]>([
    ['another compression', answer('x', { ...TEXT, 'content-encoding': 'zstd' }), 'compressed as "zstd"'],
    ['a broken compression', answer('not gzip', { ...TEXT, 'content-encoding': 'gzip' }), 'incorrect header check'],
    ['an image', answer('\x89PNG', { 'content-type': 'image/png' }), 'is image/png, which is not text'],
    ['bytes without a type', answer(Buffer.from([0, 1, 2]), {}), 'application/octet-stream, which is not text'],
    ['an error of the server', answer('<h1>Gone', { 'content-type': 'text/html' }, 410), 'status 410'],
    ['a reset', (_, response) => response.socket?.destroy(), 'could not be fetched'],
    [
      'a cut body',
      (_, response) =>
        void response.writeHead(200, { ...TEXT, 'content-length': '99' }).write('a', () => response.destroy()),
      'could not be fetched',
    ],
    [
      'redirects without end',
      (request, response) => response.writeHead(302, { location: `${request.url}x` }).end(),
      'redirects more than 5 times',
    ],
    ['a redirect to a file', answer('', { location: 'file:///etc/passwd' }, 302), 'file:// is not supported'],
  ])('says what is wrong with %s', async (_, handler, expected) => {
    const { fetch } = await setUp(handler);
    const { content, isError } = await fetch('/');
    expect(isError).toBe(true);
    expect(content).toContain(expected);
  });

  test('cuts a body without end, and a small one that unpacks to a huge one', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024, 'x'));
    const { fetch } = await setUp((request, response) => {
      if (request.url === '/bomb')
        return void response.writeHead(200, { ...TEXT, 'content-encoding': 'gzip' }).end(bomb);
      response.writeHead(200, TEXT);
      const flood = () => void response.write('y'.repeat(65_536), () => !response.destroyed && setImmediate(flood));
      flood();
    });
    for (const path of ['/bomb', '/flood']) {
      const { content, details } = await fetch(path);
      expect(content).toContain('; cut after 5 MiB');
      expect(details).toMatchObject({ bytes: 5 * 1024 * 1024 });
    }
  });

  test('gives up on a server that drips, within the time of the call', async () => {
    const { fetch } = await setUp(
      (_, response) => {
        response.writeHead(200, TEXT);
        const drip = setInterval(() => response.write('z'), 50);
        response.once('close', () => clearInterval(drip));
      },
      { timeoutMs: 600 },
    );
    expect(await fetch('/')).toMatchObject({
      isError: true,
      content: expect.stringContaining('took too long') as string,
    });
  });

  test('ends with its call', async () => {
    const abort = new AbortController();
    const { fetch } = await setUp(() => abort.abort(new Error('cancelled')), { signal: abort.signal });
    await expect(fetch('/')).rejects.toThrow('cancelled');
  });
});

describe('rules about an address', () => {
  const forbidding = (pattern: string): Permissions => ({
    rules: [{ ...(parseRuleKey(`web_fetch(url=${pattern})`) as RuleKey), key: '', verdict: 'forbid', at: '' }],
    risk: {},
    approvalDeadlineSeconds: 1,
  });

  /** A server on this machine, which names lead to; the rules are asked as the gate asks them. */
  async function setUpRules(rules: Permissions, names: Readonly<Record<string, string>>) {
    let asked = 0;
    const server = createServer((request, response) => {
      asked += 1;
      const to = new URL(request.url ?? '', 'http://x').searchParams.get('to');
      if (to === null) response.writeHead(200, TEXT).end('of this machine');
      else response.writeHead(302, { location: to }).end();
    }).listen(0, '0.0.0.0');
    await new Promise((resolve) => server.once('listening', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const allow = ['127.0.0.0/8', '::/64', 'localhost'].map((text) => parseWebTarget(text)!);
    const tool = webFetch(() => ({
      allow,
      resolve: (name, _options, callback) => {
        const address = names[name.replace(/\.$/, '').toLowerCase()];
        if (address === undefined) return callback(new Error(`no ${name}`), []);
        return callback(null, [{ address, family: address.includes(':') ? 6 : 4 }]);
      },
    }));
    const permitted = { name: 'web_fetch', risk: 'network', origin: 'faculty', kinds: { url: 'url' } } as const;
    const bench = await setUpBench({
      permissionFor: async (input, also) =>
        permissionOf(rules, { tool: permitted, input, workspace: null, unprotected: false, ...(also && { also }) })
          .verdict,
    });
    return { port, asked: () => asked, fetch: (url: string) => bench.call(tool, { url }) };
  }

  test('hold for names that lead there', async () => {
    const names = {
      'evil.test': '127.0.0.1',
      '127.0.0.1.nip.io': '127.0.0.1',
      'mapped.test': '::ffff:127.0.0.1',
      'six.test': '::1',
    };
    const { port, asked, fetch } = await setUpRules(forbidding('http://127.0.0.1:*/**'), names);
    for (const name of Object.keys(names)) {
      const { content, details } = await fetch(`http://${name}:${port}/`);
      expect(content, name).toContain('the rules of this work forbid that');
      expect(details).toEqual({ boundary: 'address' });
    }
    expect(asked()).toBe(0);
  });

  test('hold after a redirect, and for nothing else', async () => {
    const { port, asked, fetch } = await setUpRules(forbidding('http://127.0.0.1:*/secret'), {
      'evil.test': '127.0.0.1',
    });
    const to = (url: string) => fetch(`http://evil.test:${port}/?to=${encodeURIComponent(url)}`);
    expect((await fetch(`http://evil.test:${port}/`)).content).toContain('of this machine');
    expect((await to('/other')).content).toContain('of this machine');
    const before = asked();
    for (const path of [
      '/secret',
      '//evil.test/secret'.replace('test', `test:${port}`),
      '/a/%2e%2e/secret',
      '/./SECRET/',
    ])
      expect((await to(path)).content, path).toContain('the rules of this work forbid that');
    expect((await to(`http://[::ffff:7f00:1]:${port}/secret`)).content).toContain('the rules of this work forbid http');
    expect(asked()).toBe(before + 5);
  });
});
