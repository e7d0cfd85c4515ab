/** Promise: a container is not taken for alive after its engine has died, or the engine says that it does not run, before its end is known. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { parseEngineAddress } from '../../../src/core/config/sections/engine-address.ts';
import { createContainerHost } from '../../../src/sandbox/host/create-container-host.ts';
import { catSpec } from '../../docker/sandbox/containers.ts';

test('a held container lives as long as its engine says so', async () => {
  const engine = await playedEngine();
  const host = createContainerHost({
    address: parseEngineAddress(`unix://${engine.socket}`)!,
    marks: { daemon: 'me', process: '' },
    marker: null,
  });
  onTestFinished(() => host.stop());
  const held = await host.launch(catSpec(), new AbortController().signal);
  expect(await held.lives()).toBe(true);
  engine.running = false;
  expect(await held.lives()).toBe(false);
  engine.running = true;
  expect(await held.lives()).toBe(true);
  engine.deaf = true;
  expect(await held.lives()).toBe(false);
  // So that it can be removed.
  engine.deaf = false;
});

const JSON_ONCE = { 'content-type': 'application/json', connection: 'close' };

/** An engine with one container, whose process never ends. `deaf`: it has died, but for connections that were there before. */
async function playedEngine() {
  const directory = mkdtempSync(join(tmpdir(), 'animus-engine-'));
  const engine = { socket: join(directory, 'engine.sock'), running: true, deaf: false };
  const attached: Duplex[] = [];
  const server = createServer((request, response) => {
    if (engine.deaf) return void request.socket.destroy();
    const path = request.url?.replace(/^\/v[\d.]+/, '') ?? '';
    const answer = (status: number, body: unknown) => response.writeHead(status, JSON_ONCE).end(JSON.stringify(body));
    if (path.startsWith('/containers/create')) answer(201, { Id: 'c1', Warnings: [] });
    else if (path.startsWith('/containers/c1/start')) response.writeHead(204).end();
    else if (path.startsWith('/containers/c1/wait')) response.writeHead(200, JSON_ONCE).flushHeaders();
    else if (path.startsWith('/containers/c1/json')) answer(200, { Id: 'c1', State: { Running: engine.running } });
    else if (path.startsWith('/containers/json')) answer(200, []);
    else answer(404, { message: 'not here' });
  });
  server.on('upgrade', (_request, socket) => {
    attached.push(socket);
    socket.on('error', () => {});
    socket.write(
      'HTTP/1.1 101 UPGRADED\r\nContent-Type: application/vnd.docker.raw-stream\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n',
    );
  });
  await new Promise<void>((resolve) => server.listen(engine.socket, resolve));
  onTestFinished(() => {
    for (const socket of attached) socket.destroy();
    server.closeAllConnections();
    server.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return engine;
}
