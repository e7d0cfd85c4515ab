/** Promise: a container that is being created is never taken for left over, whatever the clock of the engine says. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { parseEngineAddress } from '../../../src/core/config/sections/engine-address.ts';
import { createContainerHost } from '../../../src/sandbox/host/create-container-host.ts';
import { catSpec } from '../../docker/sandbox/containers.ts';
import { eventually } from '../../support/eventually.ts';

test('a container of an engine whose clock is hours behind', async () => {
  const engine = await slowEngine();
  const directory = mkdtempSync(join(tmpdir(), 'animus-reap-'));
  const host = createContainerHost({
    address: parseEngineAddress(`unix://${engine.socket}`)!,
    marks: { daemon: 'me', process: '' },
    marker: join(directory, 'in-use'),
    reapMs: 300,
  });
  onTestFinished(async () => {
    await host.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  const abort = new AbortController();
  const launched = host.launch(catSpec(), abort.signal).catch((error: unknown) => error);
  // The engine lists it before it has answered.
  await eventually('leftovers were looked for three times meanwhile', () => (engine.lists() >= 3 ? true : null));
  expect(engine.removed()).toEqual([]);
  // Variables of a container may be secret, and addresses are written to logs.
  expect(engine.createdAt()).toMatch(/^\/containers\/create\?name=[\w-]+$/);
  engine.refuse();
  await launched;
  await eventually('it is removed once it is known that nobody holds it', () =>
    engine.removed().length > 0 ? true : null,
  );
});

test('the first container of a home that is not there yet', async () => {
  const engine = await slowEngine();
  const directory = mkdtempSync(join(tmpdir(), 'animus-new-'));
  const marker = join(directory, 'home', 'in-use');
  const host = createContainerHost({
    address: parseEngineAddress(`unix://${engine.socket}`)!,
    marks: { daemon: 'me', process: '' },
    marker,
  });
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const launched = host.launch(catSpec(), new AbortController().signal).catch((error: unknown) => error);
  await eventually('the engine is asked for it', () => engine.createdAt() || null);
  expect(existsSync(marker)).toBe(true);
  engine.refuse();
  expect(await launched).toMatchObject({ message: expect.stringContaining('too slow') as string });
  await host.stop();
  expect(existsSync(marker)).toBe(false);
});

const JSON_ONCE = { 'content-type': 'application/json', connection: 'close' };

/** An engine that creates one container, lists it as hours old, and does not answer the request to create it until `refuse`. */
async function slowEngine() {
  const directory = mkdtempSync(join(tmpdir(), 'animus-engine-'));
  const socket = join(directory, 'engine.sock');
  let creating: ServerResponse | null = null;
  let labels: unknown = {};
  let createdAt = '';
  let lists = 0;
  const removed: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url?.replace(/^\/v[\d.]+/, '') ?? '';
    const answer = (status: number, body: unknown) => response.writeHead(status, JSON_ONCE).end(JSON.stringify(body));
    if (path.startsWith('/containers/create')) {
      createdAt = path;
      void text(request).then((body) => {
        labels = (JSON.parse(body) as { Labels: unknown }).Labels;
        creating = response;
      });
    } else if (path.startsWith('/containers/json')) {
      if (creating !== null) lists += 1;
      answer(200, creating === null ? [] : [{ Id: 'c1', Created: Date.now() / 1000 - 10_000, Labels: labels }]);
    } else if (request.method === 'DELETE') {
      removed.push(path);
      answer(404, { message: 'no such container' });
    } else {
      answer(404, { message: 'not here' });
    }
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return {
    socket,
    createdAt: () => createdAt,
    lists: () => lists,
    removed: () => removed,
    refuse: () => creating?.writeHead(500, JSON_ONCE).end(JSON.stringify({ message: 'too slow' })),
  };
}
