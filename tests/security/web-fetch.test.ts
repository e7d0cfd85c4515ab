/** Promise: an agent that was talked into it fetches nothing from the daemon's host and network, whatever name or redirect leads there. */
import { createServer } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseWebTarget } from '../../src/core/text/web-target.ts';
import { webFetch } from '../../src/tools/web/web-fetch.ts';
import { setUpBench } from '../tools/tool-context.ts';

let secretRequests = 0;
const inside = createServer((_, response) => {
  secretRequests += 1;
  response.writeHead(200, { 'content-type': 'text/plain' }).end('the secret');
});
/** Stands for a host of the public internet: it is allowed by name. */
const outside = createServer((request, response) => {
  const to = decodeURIComponent(request.url?.slice(1) ?? '');
  if (to === '') response.writeHead(200, { 'content-type': 'text/plain' }).end('public');
  else response.writeHead(302, { location: to }).end();
});
let insidePort = 0;
let outsidePort = 0;

beforeAll(async () => {
  for (const server of [inside, outside])
    await new Promise<void>((listen) => void server.listen(0, '::', () => listen()));
  insidePort = (inside.address() as AddressInfo).port;
  outsidePort = (outside.address() as AddressInfo).port;
  return () => [inside, outside].forEach((server) => server.closeAllConnections() ?? server.close());
});

/** Names resolve as given, one answer after the other. */
async function fetch(url: string, names: Readonly<Record<string, readonly (readonly string[])[]>> = {}) {
  const asked: Record<string, number> = {};
  const resolve: LookupFunction = (host, _, callback) => {
    const answers = names[host] ?? [];
    const nth = (asked[host] = (asked[host] ?? -1) + 1);
    const found = (answers[Math.min(nth, answers.length - 1)] ?? []).map((address) => ({
      address,
      family: address.includes(':') ? 6 : 4,
    }));
    callback(found.length > 0 ? null : new Error(`no address of ${host}`), found);
  };
  const reach = { allow: [parseWebTarget(`public.test:${outsidePort}`)!], resolve };
  const { call } = await setUpBench();
  return call(
    webFetch(() => reach),
    { url },
  );
}

async function isRefused(url: string, names?: Parameters<typeof fetch>[1]): Promise<string> {
  const before = secretRequests;
  const { content, isError } = await fetch(url, names);
  expect(content).not.toContain('the secret');
  expect(isError).toBe(true);
  expect(secretRequests).toBe(before);
  return content;
}

describe('web_fetch does not reach', () => {
  test.each([
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '0.0.0.0',
    '0',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '１２７.０.０.１',
    '127。0。0。1',
  ])('the host by the address %s', async (host) => {
    expect(await isRefused(`http://${host}:${insidePort}/`)).toContain('is not on the public internet');
  });

  test.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://[fd00:ec2::254]/',
    'http://10.0.0.1/',
    'http://100.100.100.200/',
  ])('the network: %s', async (url) => {
    expect(await isRefused(url)).toContain('is not on the public internet');
  });

  test('the host by a name', async () => {
    const names = {
      'innocent.test': [['127.0.0.1']],
      'mapped.test': [['::ffff:127.0.0.1']],
      'half.test': [['93.184.216.34', '127.0.0.1']],
    };
    for (const name of Object.keys(names)) {
      expect(await isRefused(`http://${name}:${insidePort}/`, names)).toContain('is not on the public internet');
    }
    const { call } = await setUpBench();
    for (const host of ['localhost', 'localhost.']) {
      const { content } = await call(
        webFetch(() => ({ allow: [] })),
        { url: `http://${host}:${insidePort}/` },
      );
      // With a dot, some resolvers do not know it.
      expect(content).toMatch(/is not on the public internet|ENOTFOUND/);
    }
    expect(secretRequests).toBe(0);
  });

  test.each([
    ['by its address', () => `http://127.0.0.1:${insidePort}/`],
    ['without a scheme', () => `//127.0.0.1:${insidePort}/`],
    ['by a name', () => `http://inner.test:${insidePort}/`],
    ['in two steps', () => `http://public.test:${outsidePort}/${encodeURIComponent(`http://127.1:${insidePort}/`)}`],
    ['with a login', () => `http://public.test@127.0.0.1:${insidePort}/`],
  ])('the host by a redirect: %s', async (_, to) => {
    const names = { 'public.test': [['127.0.0.1']], 'inner.test': [['127.0.0.1']] };
    await isRefused(`http://public.test:${outsidePort}/${encodeURIComponent(to())}`, names);
  });

  test('the host by a name that resolves differently at the second time', async () => {
    // The first answer passes the check, the second would be connected to by a tool that asks twice.
    const names = { 'rebind.test': [['93.184.216.34'], ['127.0.0.1']], 'public.test': [['127.0.0.1']] };
    const back = `http://rebind.test:${insidePort}/`;
    await isRefused(`http://public.test:${outsidePort}/${encodeURIComponent(back)}`, {
      ...names,
      'rebind.test': [['127.0.0.1']],
    });
    const flipping = { 'flip.test': [['2001:db8::1'], ['127.0.0.1']] };
    await isRefused(`http://flip.test:${insidePort}/`, flipping);
  });

  test.each([
    'ftp://example.test/',
    'file:///etc/passwd',
    'data:text/plain,x',
    'gopher://x/',
    'http://u:p@example.test/',
    'http://example.test:25/',
    'http://example.test:22/',
    'nonsense',
    'http://',
  ])('anything by %s', async (url) => {
    await isRefused(url);
  });

  test('a service beside the one that is allowed, on the same host', async () => {
    const names = { 'public.test': [['127.0.0.1']] };
    expect((await fetch(`http://public.test:${outsidePort}/`, names)).content).toContain('public');
    expect(await isRefused(`http://public.test:${insidePort}/`, names)).toContain('is not on the public internet');
  });
});
