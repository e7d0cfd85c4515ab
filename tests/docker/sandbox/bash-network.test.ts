/** The network of a container with an allow-list: the proxy and nothing else. On a real engine. */
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { parseEgressHost } from '../../../src/core/text/egress-host.ts';
import { parseWebTarget } from '../../../src/core/text/web-target.ts';
import { openEgress } from '../../../src/sandbox/egress/egress.ts';
import { forbiddenHost, guardedLookup, type WebReach } from '../../../src/tools/web/guarded-agent.ts';
import { bashBench } from './bash-bench.ts';
import { IMAGE, missingEngine, testHost } from './containers.ts';

const missing = missingEngine();
/** GETs by the proxy as programs do that know the variables; prints the status and the beginning of the text. */
const GET = `import sys, urllib.request as u, urllib.error as e
for url in sys.argv[1:]:
    try: r = u.urlopen(url, timeout=10)
    except e.HTTPError as error: r = error
    except OSError as error: print('failed', error); continue
    print(r.status, r.read(200).decode().strip())`;

describe.skipIf(missing !== null)(
  `the network of a container${missing === null ? '' : ` (skipped: ${missing})`}`,
  () => {
    const { host, left, stop } = testHost();
    afterAll(async () => {
      await stop();
      expect(await left()).toEqual([]);
    });

    /** `names`: what each name resolves to, one answer after the other. */
    function setUp(hosts: readonly string[], names: Readonly<Record<string, string[]>>, allow: readonly string[]) {
      const reach: WebReach = {
        allow: allow.flatMap((target) => parseWebTarget(target) ?? []),
        resolve: (name, _options, callback) => {
          const address = names[name]?.length === 1 ? names[name][0] : names[name]?.shift();
          if (address === undefined) return callback(new Error(`${name} is unknown`), []);
          callback(null, [{ address, family: 4 }]);
        },
      };
      const refused: string[] = [];
      const bench = bashBench(host, {
        connect: (held, signal) =>
          openEgress(
            held,
            {
              host,
              owner: 'work-network',
              image: IMAGE,
              rules: {
                hosts: hosts.flatMap((each) => parseEgressHost(each) ?? []),
                forbidden: (name, port) => forbiddenHost(name, port, reach)?.message ?? null,
                lookup: (name, port) => guardedLookup(name, port, reach),
                onRefused: (name, port) => refused.push(`${name}:${port}`),
              },
            },
            signal,
          ),
      });
      const get = async (...urls: readonly string[]) =>
        (await bench.run(`python3 -c "$GET" ${urls.join(' ')}`.replace('$GET', GET.replaceAll('"', '\\"')))).stdout
          .text;
      return { ...bench, get, refused };
    }

    async function startWeb(address: string): Promise<number> {
      const server = createServer((incoming, response) => {
        if (incoming.url === '/away') return void response.writeHead(302, { location: 'http://private.test/' }).end();
        response.end(`hello from ${incoming.headers.host}`);
      });
      await new Promise<void>((resolve) => server.listen(0, address, resolve));
      onTestFinished(() => void server.close());
      return (server.address() as AddressInfo).port;
    }

    test('reaches the hosts of the list, and those only', async () => {
      const port = await startWeb('127.0.0.1');
      const names = { 'good.test': ['127.0.0.1'], 'other.test': ['127.0.0.1'] };
      const { get, refused } = setUp([`good.test:${port}`], names, ['127.0.0.1']);
      expect(await get(`http://good.test:${port}/`, `http://other.test:${port}/`, `http://127.0.0.1:${port}/`)).toMatch(
        new RegExp(
          `^200 hello from good.test:${port}\n403 animus: other.test:${port} is not in the list of hosts that this container may reach\nfailed .*refused`,
        ),
      );
      expect(refused).toEqual([`other.test:${port}`]);
    });

    test('does not reach private addresses by a name of the list, a redirect, or a name that changes', async () => {
      const port = await startWeb('127.0.0.1');
      const names = {
        'private.test': ['10.0.0.1'],
        'metadata.test': ['169.254.169.254'],
        'local.test': ['127.0.0.1'],
        'good.test': ['127.0.0.1'],
        'rebinding.test': ['127.0.0.1', '10.0.0.9'],
      };
      const list = ['private.test', 'metadata.test', 'local.test', `good.test:${port}`, `rebinding.test:${port}`];
      const { get } = setUp(list, names, [`127.0.0.1:${port}`]);
      const said = await get(
        'http://private.test/',
        'http://metadata.test/latest/meta-data/',
        'http://local.test/',
        `http://good.test:${port}/away`,
        `http://rebinding.test:${port}/`,
        `http://rebinding.test:${port}/`,
      );
      expect(said.split('\n').slice(0, 6)).toEqual([
        '502 animus: private.test has the address 10.0.0.1, which is not on the public internet',
        '502 animus: metadata.test has the address 169.254.169.254, which is not on the public internet',
        '502 animus: local.test has the address 127.0.0.1, which is not on the public internet',
        '502 animus: private.test has the address 10.0.0.1, which is not on the public internet',
        `200 hello from rebinding.test:${port}`,
        '502 animus: rebinding.test has the address 10.0.0.9, which is not on the public internet',
      ]);
    });

    test('has no other way out: no route, no names, no address of this host, no other container', async () => {
      const listening = createTcpServer((socket) => void socket.end('reached'));
      await new Promise<void>((resolve) => listening.listen(0, '0.0.0.0', resolve));
      onTestFinished(() => void listening.close());
      const { port } = listening.address() as AddressInfo;
      const own = Object.values(networkInterfaces()).flatMap((each) => each?.map(({ address }) => address) ?? []);
      const { run } = setUp(['good.test'], { 'good.test': ['127.0.0.1'] }, []);
      const { stdout } = await run(`python3 - <<'END'
import socket
for address in ${JSON.stringify([...own, '172.17.0.1', '1.1.1.1', 'host.docker.internal', 'good.test'])}:
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        try:
            with socket.socket(socket.AF_INET6 if ':' in address else socket.AF_INET, kind) as s:
                s.settimeout(3)
                s.connect((address, ${port}))
                s.send(b'x')
                print(address, kind, s.recv(10))
        except OSError:
            pass
try: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)
except OSError: print('no raw sockets')
END
cat /proc/net/dev | tail -n +3 | cut -d: -f1; cat /proc/net/route | tail -n +2 | wc -l`);
      expect(stdout.text.split('\n').map((line) => line.trim())).toEqual(['no raw sockets', 'lo', '0', '']);
    });

    test('carries large transfers both ways, and many at once', async () => {
      const server = createServer((incoming, response) => {
        let bytes = 0;
        incoming.on('data', (chunk: Buffer) => (bytes += chunk.length));
        incoming.on('end', () => response.end(incoming.method === 'POST' ? `got ${bytes}` : Buffer.alloc(600_000)));
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      onTestFinished(() => void server.close());
      const { port } = server.address() as AddressInfo;
      const { run } = setUp([`good.test:${port}`], { 'good.test': ['127.0.0.1'] }, ['127.0.0.1']);
      const { stdout } = await run(`python3 - <<'END'
import urllib.request as u
from concurrent.futures import ThreadPoolExecutor
url = 'http://good.test:${port}/'
with ThreadPoolExecutor(8) as pool:
    print(sorted(pool.map(lambda _: len(u.urlopen(url).read()), range(16))) == [600_000] * 16)
print(u.urlopen(url, data=bytes(2_000_000)).read().decode())
END`);
      expect(stdout.text).toBe('True\ngot 2000000\n');
    });

    test('a container whose relay is killed is replaced, and no relay outlives its container', async () => {
      const port = await startWeb('127.0.0.1');
      const { get, run } = setUp([`good.test:${port}`], { 'good.test': ['127.0.0.1'] }, ['127.0.0.1']);
      expect(await get(`http://good.test:${port}/`)).toMatch(/^200 /);
      expect((await left()).length).toBe(2);
      // Only the relay is in the way of this owner.
      await host.killAll('work-network');
      host.setDeadline('work-network', 60_000);
      await run('sleep 1');
      expect(await get(`http://good.test:${port}/`)).toMatch(/^200 /);
      expect((await left()).length).toBe(2);
    });
  },
);
