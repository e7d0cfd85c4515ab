/** Promise: slow clients, however many, cannot block a health check of the daemon. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { askHealth } from '../../src/cli/serve/health.ts';
import type { Readiness } from '../../src/core/lifecycle/health.ts';
import { openHealthServer } from '../../src/http/health-server.ts';
import { freePort } from '../support/free-port.ts';

const READY: Readiness = {
  ready: true,
  phase: 'serving',
  version: '1',
  daemon_id: null,
  checks: { database: 'ok', schema: 'ok', listening: 'ok' },
};

test('hundreds of clients that send their headers byte by byte, or nothing, do not block `animus health`', async () => {
  const address = { host: '127.0.0.1', port: await freePort(), configured: true };
  const server = openHealthServer(address, async () => READY);
  await server.start();
  const crowd: Socket[] = [];
  onTestFinished(async () => {
    for (const socket of crowd) socket.destroy();
    await server.stop();
  });
  const stranger = async (n: number): Promise<void> => {
    const socket = connect(address.port, address.host).on('error', () => {});
    crowd.push(socket);
    await once(socket, 'connect');
    if (n % 3 === 0) socket.write('GET /readyz HTTP/1.1\r\nhost: a\r\nx-slow: ');
    if (n % 3 === 1) socket.write('G');
  };
  for (let round = 0; round < 3; round++) {
    await Promise.all(Array.from({ length: 130 }, (_, n) => stranger(n)));
    expect(await askHealth(address, new AbortController().signal)).toEqual(READY);
  }
  // The number of open connections stays within the file descriptors that the daemon can spare.
  await expect.poll(() => crowd.filter((socket) => socket.readyState === 'open').length).toBeLessThanOrEqual(100);
});
