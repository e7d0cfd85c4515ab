/** Promise: clients without the password of the embedded database cannot block those that have it. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import { embeddedDatabase } from '../support/database.ts';

const target = embeddedDatabase();

test('clients without the password that keep opening hundreds of connections cannot block clients that have it', async () => {
  const crowd = new Set<Socket>();
  const flooding = new AbortController();
  const stranger = async (): Promise<void> => {
    const socket = connect(target.database.port, '127.0.0.1').on('error', () => {});
    crowd.add(socket);
    await once(socket, 'connect');
  };
  onTestFinished(() => {
    flooding.abort();
    for (const socket of crowd) socket.destroy();
  });
  await Promise.all(Array.from({ length: 300 }, stranger));

  // Ten more in each timer turn of the event loop, as long as the clients below run.
  const flood = (async () => {
    while (!flooding.signal.aborted) {
      await Promise.all(Array.from({ length: 10 }, stranger));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  for (let n = 0; n < 5; n++) {
    const database = openPostgres(target.database.connectionString, { kind: 'embedded', poolSize: 1 });
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
    await database.close();
  }
  flooding.abort();
  await flood;
  // Clients that were connected before are not affected, and the oldest strangers were disconnected.
  expect(await target.database.query('select 2 as two')).toEqual([{ two: 2 }]);
  expect([...crowd].filter((socket) => socket.readyState === 'open').length).toBeLessThanOrEqual(110);
});

test('clients with the password have their own limit, and those beyond it get an error', async () => {
  const open = () => openPostgres(target.database.connectionString, { kind: 'embedded', poolSize: 1 });
  const clients = [];
  let refused: unknown = null;
  while (refused === null) {
    const one = open();
    clients.push(one);
    refused = await one.query('select 1').then(
      () => null,
      (error: unknown) => error,
    );
  }
  expect(clients.length).toBeGreaterThan(90);
  expect(refused).toMatchObject({ message: expect.stringContaining('too many connections to the embedded database') });
  for (const one of clients) await one.close();
});

test('silent connections, however many, do not disconnect a client during its handshake', async () => {
  const open = async () => {
    const socket = connect(target.database.port, '127.0.0.1').on('error', () => {});
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    return socket;
  };
  const client = await open();
  // It asks for TLS, as drivers do first, and gets the answer: from here on it is in its handshake.
  client.write(Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]));
  expect((await once(client, 'data'))[0].toString()).toBe('N');
  const crowd = await Promise.all(Array.from({ length: 300 }, open));
  // The server has seen them all: those that came first are closed again.
  await once(crowd[0]!, 'close');
  expect(await target.database.query('select 1 as one')).toEqual([{ one: 1 }]);
  expect(client.readyState).toBe('open');
});
