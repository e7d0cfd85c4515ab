import { createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type LookupFunction, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type EgressHost, parseEgressHost } from '../../../src/core/text/egress-host.ts';
import { createEgressProxy } from '../../../src/sandbox/egress/egress-proxy.ts';
import { OTHER_ADDRESS, SAME_ADDRESS } from '../../support/url-spellings.ts';

/** Resolves every name to 127.0.0.1, or to what is given for it; `[]`: it may not be reached. */
interface Setting {
  readonly hosts: readonly string[];
  readonly names?: Readonly<Record<string, string>>;
  readonly forbidden?: (host: string, port: number) => string | null;
}

async function startProxy({ hosts, names = {}, forbidden = () => null }: Setting) {
  const refused: string[] = [];
  const resolved: string[] = [];
  const lookup = (): LookupFunction => (name, options, callback) => {
    resolved.push(name);
    const address = names[name] ?? '127.0.0.1';
    if (address.startsWith('10.')) return callback(new Error(`${name} has the address ${address}`), []);
    return callback(null, options.all === true ? [{ address, family: 4 }] : address, 4);
  };
  const proxy = createEgressProxy({
    hosts: hosts.map((host) => parseEgressHost(host) as EgressHost),
    forbidden,
    lookup,
    onRefused: (host, port) => refused.push(`${host}:${port}`),
  });
  const front = createTcpServer({ allowHalfOpen: true }, (socket) => proxy.serve(socket));
  const port = await listen(front);
  onTestFinished(() => proxy.close());
  return { port, refused, resolved, proxy };
}

async function listen(server: ReturnType<typeof createTcpServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A server that answers with what it was asked. */
async function startWeb(): Promise<number> {
  const server = createServer((incoming, response) => {
    if (incoming.url === '/away') return void response.writeHead(302, { location: 'http://elsewhere.test/' }).end();
    let body = '';
    incoming.setEncoding('utf8').on('data', (text: string) => (body += text));
    incoming.on('end', () => {
      response.end(JSON.stringify({ method: incoming.method, url: incoming.url, headers: incoming.headers, body }));
    });
  });
  return listen(server);
}

/** Sends bytes and returns all that comes back. */
function talk(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let got = '';
    const socket: Socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.setEncoding('utf8').on('data', (more: string) => (got += more));
    socket.on('close', () => resolve(got)).on('error', reject);
  });
}

function ask(port: number, url: string, more: { method?: string; body?: string; host?: string } = {}) {
  return new Promise<{ status: number; text: string; location: string | undefined }>((resolve, reject) => {
    const headers = {
      host: more.host ?? new URL(url).host,
      'proxy-authorization': 'Basic x',
      connection: 'x-hop',
      'x-hop': '1',
    };
    const asking = request(
      { port, host: '127.0.0.1', path: url, method: more.method ?? 'GET', headers },
      (response: IncomingMessage) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, text, location: response.headers.location }),
        );
      },
    );
    asking.on('error', reject).end(more.body);
  });
}

test('tunnels to a host of the list, on its port only, whatever way its name is written', async () => {
  const web = await startWeb();
  const { port, refused } = await startProxy({ hosts: [`allowed.test:${web}`] });
  for (const name of ['allowed.test', 'ALLOWED.test', 'allowed.test.']) {
    const got = await talk(
      port,
      `CONNECT ${name}:${web} HTTP/1.1\r\n\r\nGET /x HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`,
    );
    expect(got).toMatch(/^HTTP\/1\.1 200 [^\r]*\r\n\r\nHTTP\/1\.1 200 OK/);
    expect(got).toContain('"url":"/x"');
  }
  expect(refused).toEqual([]);
  const other = await talk(port, `CONNECT allowed.test:${web + 1} HTTP/1.1\r\n\r\n`);
  expect(other).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
  expect(other).toContain(`allowed.test:${web + 1} is not in the list of hosts that this container may reach`);
  expect(refused).toEqual([`allowed.test:${web + 1}`]);
});

test.each([
  'CONNECT other.test:443',
  'CONNECT notallowed.test:443',
  'CONNECT allowed.test.evil.test:443',
  'CONNECT 127.0.0.1:443',
  'CONNECT 0x7f.1:443',
  'CONNECT [::1]:443',
  'CONNECT [::ffff:127.0.0.1]:443',
  'CONNECT allowed.test@other.test:443',
  'CONNECT allowed.test:443@other.test:443',
  'CONNECT allowed.test%00.other.test:443',
  'CONNECT allowed.test',
  'CONNECT :443',
  'CONNECT allowed.test:99999',
  'GET http://other.test/',
  'GET http://allowed.test@other.test/',
  'GET http://169.254.169.254/latest/meta-data/',
  'GET http://allowed.test:22/',
])('refuses %s without resolving it', async (line) => {
  const { port, resolved } = await startProxy({ hosts: ['allowed.test', '*.below.test'] });
  const got = await talk(port, `${line} HTTP/1.1\r\nhost: allowed.test\r\nconnection: close\r\n\r\n`);
  expect(got).toMatch(/^HTTP\/1\.1 40[03] /);
  expect(resolved).toEqual([]);
});

test.each(['GET /', 'GET https://allowed.test/', 'GET ftp://allowed.test/'])('answers 400 to %s', async (line) => {
  const { port } = await startProxy({ hosts: ['allowed.test'] });
  expect(await talk(port, `${line} HTTP/1.1\r\nhost: allowed.test\r\nconnection: close\r\n\r\n`)).toMatch(
    /^HTTP\/1\.1 400 /,
  );
});

test('a star allows every name below, and not the name itself', async () => {
  const web = await startWeb();
  const { port } = await startProxy({ hosts: [`*.below.test:${web}`] });
  const status = async (name: string) => (await ask(port, `http://${name}:${web}/`)).status;
  expect([await status('a.below.test'), await status('a.b.below.test'), await status('below.test')]).toEqual([
    200, 200, 403,
  ]);
  expect(await status('abelow.test')).toBe(403);
});

test('passes plain requests on to the host that was judged, without the headers for the proxy', async () => {
  const web = await startWeb();
  const { port } = await startProxy({ hosts: [`allowed.test:${web}`] });
  const { text } = await ask(port, `http://allowed.test:${web}/p?q=1`, {
    method: 'POST',
    body: 'hello',
    host: 'other.test',
  });
  const seen = JSON.parse(text) as { headers: Record<string, string> };
  expect(seen).toMatchObject({
    method: 'POST',
    url: '/p?q=1',
    body: 'hello',
    headers: { host: `allowed.test:${web}` },
  });
  expect(Object.keys(seen.headers)).not.toContain('proxy-authorization');
  expect(Object.keys(seen.headers)).not.toContain('x-hop');
});

test('judges every request of a connection', async () => {
  const web = await startWeb();
  const { port } = await startProxy({ hosts: [`allowed.test:${web}`] });
  const got = await talk(
    port,
    `GET http://allowed.test:${web}/ HTTP/1.1\r\nhost: a\r\n\r\nGET http://other.test/ HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`,
  );
  expect(got.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 403']);
});

test('follows no redirect: where it leads is another request', async () => {
  const web = await startWeb();
  const { port, resolved } = await startProxy({ hosts: [`allowed.test:${web}`] });
  expect(await ask(port, `http://allowed.test:${web}/away`)).toMatchObject({
    status: 302,
    location: 'http://elsewhere.test/',
  });
  expect(resolved).toEqual(['allowed.test']);
});

test('an address that a name resolves to may be refused, and a listed address, too', async () => {
  const { port, refused } = await startProxy({
    hosts: ['allowed.test', '10.1.2.3:80'],
    names: { 'allowed.test': '10.0.0.7' },
    forbidden: (host) => (host === '10.1.2.3' ? '10.1.2.3 is not on the public internet' : null),
  });
  expect(await talk(port, 'CONNECT allowed.test:443 HTTP/1.1\r\n\r\n')).toMatch(
    /^HTTP\/1\.1 502 [^]*allowed\.test has the address 10\.0\.0\.7/,
  );
  expect(await ask(port, 'http://allowed.test/')).toMatchObject({
    status: 502,
    text: 'animus: allowed.test has the address 10.0.0.7\n',
  });
  expect(await talk(port, 'CONNECT 10.1.2.3:80 HTTP/1.1\r\n\r\n')).toContain('10.1.2.3 is not on the public internet');
  expect(refused).toEqual(['10.1.2.3:80']);
});

test('what is no HTTP ends the connection and nothing else', async () => {
  const web = await startWeb();
  const { port } = await startProxy({ hosts: [`allowed.test:${web}`] });
  await talk(port, '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n');
  await talk(port, `GET http://allowed.test:${web}/ HTTP/1.1\r\nhost: ${'x'.repeat(20_000)}\r\n\r\n`);
  expect((await ask(port, `http://allowed.test:${web}/`)).status).toBe(200);
});

test('a closed proxy ends its tunnels', async () => {
  const silent = await listen(createTcpServer((socket) => void socket.resume()));
  const { port, proxy } = await startProxy({ hosts: [`allowed.test:${silent}`] });
  const socket = connect(port, '127.0.0.1', () => socket.write(`CONNECT allowed.test:${silent} HTTP/1.1\r\n\r\n`));
  await new Promise((resolve) => socket.once('data', resolve));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  proxy.close();
  await closed;
});

test('every way to write an address is the one of the list, and of what is forbidden', async () => {
  const asked: string[] = [];
  const forbidden = (host: string) => {
    asked.push(host);
    return 'forbidden';
  };
  const { port, refused } = await startProxy({ hosts: ['127.0.0.1:7', 'example.org:7'], forbidden });
  // Others than these are not HTTP.
  for (const host of SAME_ADDRESS.filter((host) => /^[ -~]+$/.test(host))) {
    expect(await talk(port, `CONNECT ${host}:7 HTTP/1.1\r\nHost: x\r\n\r\n`), host).toContain('403');
    expect((await ask(port, `http://${host}:7/`)).status, host).toBe(403);
  }
  expect(new Set(asked)).toEqual(new Set(['127.0.0.1']));
  for (const host of OTHER_ADDRESS) await talk(port, `CONNECT ${host}:7 HTTP/1.1\r\nHost: x\r\n\r\n`);
  expect(asked.length).toBeGreaterThan(SAME_ADDRESS.length);
  expect(new Set(asked).size).toBe(1);
  expect(refused.length).toBe(asked.length + OTHER_ADDRESS.length);
});
