import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { pingEngine } from '../../../src/sandbox/engine/ping-engine.ts';
import { temporaryHome } from '../../support/database.ts';

const home = temporaryHome();

/** An engine, and the paths that it was asked for. */
async function engine(listenOn: number | string): Promise<{ port: number; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(500).end('any answer is one');
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((listening) => server.listen(listenOn, listening));
  return { port: typeof listenOn === 'number' ? (server.address() as AddressInfo).port : 0, asked };
}

const tcp = (port: number, certificates: string | null) =>
  ({ kind: 'tcp', host: '127.0.0.1', port, certificates, text: `tcp://127.0.0.1:${port}` }) as const;

test('an engine that answers has no problem, by TCP and by a socket', async () => {
  const { port, asked } = await engine(0);
  expect(await pingEngine(tcp(port, null))).toBeNull();
  const path = join(home, 'engine.sock');
  const other = await engine(path);
  expect(await pingEngine({ kind: 'unix', path, text: `unix://${path}` })).toBeNull();
  expect([asked, other.asked]).toEqual([['/_ping'], ['/_ping']]);
});

test('one that does not answer has one, with its address', async () => {
  expect(await pingEngine(tcp(9, null))).toContain('tcp://127.0.0.1:9');
  const path = join(home, 'none.sock');
  expect(await pingEngine({ kind: 'unix', path, text: `unix://${path}` })).toContain(path);
});

test('one that only its client can ask is not asked', async () => {
  const { port, asked } = await engine(0);
  expect(await pingEngine(tcp(port, '/certificates'))).toBeNull();
  expect(await pingEngine(tcp(9, '/certificates'))).toBeNull();
  expect(await pingEngine({ kind: 'unsupported', text: 'ssh://host' })).toBeNull();
  expect(asked).toEqual([]);
});
