import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startEmbeddedThread } from '../../../src/store/embedded/embedded-thread.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';
import { embeddedHome } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';

test('a thread that crashes is started again on its port, and said once', async () => {
  const threads = new Set<Worker>();
  const { once: listen } = Worker.prototype;
  const spy = vi.spyOn(Worker.prototype, 'once').mockImplementation(function (this: Worker, ...args) {
    threads.add(this);
    return listen.apply(this, args);
  });
  onTestFinished(() => spy.mockRestore());
  const said: string[] = [];
  const log = { ...silentLog, error: (_: object, message: string) => void said.push(message) };
  const limits = { maxIdleMs: 60_000, maxConnections: 5, lingerMs: 60_000 };
  const directory = join(embeddedHome(), 'db');
  const data = { directory, port: 0, password: randomUUID(), prepared: null, ...limits };
  const thread = await startEmbeddedThread(data, log);
  onTestFinished(() => thread.stop());
  await [...threads][0]!.terminate();
  await eventually('the second thread', () => (threads.size === 2 ? true : null));
  await eventually('it listens', async () => {
    const socket = connect(thread.port, '127.0.0.1');
    const [isOpen] = await Promise.race([
      once(socket, 'connect').then(() => [true]),
      once(socket, 'error').then(() => [false]),
    ]).catch(() => [false]);
    socket.destroy();
    return isOpen ? true : null;
  });
  expect(said).toEqual(['the embedded database crashed; restarting it']);
});
