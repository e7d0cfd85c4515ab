/** An `error` event without a listener would crash the process; here it fails the test run. */
import { expect, test } from 'vitest';
import { openNotifications } from '../../../src/store/postgres/notifications.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import { eventually } from '../../support/eventually.ts';
import { startFatalServer } from '../../support/fatal-server.ts';

test('a connection terminated in the packet that makes it ready fails only its own call', async () => {
  const server = await startFatalServer();
  server.endNext({ at: 'ready' }, { at: 'ready' });
  const database = openPostgres(server.url, { poolSize: 1 });
  await expect(database.query('select 1')).rejects.toMatchObject({ code: 'db.unreachable' });
  await expect(database.transaction((tx) => tx.query('select 1'))).rejects.toMatchObject({ code: 'db.unreachable' });
  expect(await database.query('select 1')).toEqual([]);
  await database.close();
});

test('a connection terminated together with an answer returns the answer, and is not used again', async () => {
  const server = await startFatalServer();
  // The first query of a connection sets the settings of the session.
  server.endNext({ at: 'answer', query: 2 }, { at: 'answer', query: 2 });
  const database = openPostgres(server.url, { poolSize: 1 });
  // The second one waits for the connection of the first.
  const both = await Promise.allSettled([database.query('select 1'), database.query('select 2')]);
  for (const one of both) {
    if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'db.unreachable' });
  }
  await eventually('the pool has a connection that works', () =>
    database.query('select 3').then(
      () => true,
      () => null,
    ),
  );
  await database.close();
});

test('callers that wait for a connection of a full pool are served at once when those connections are lost', async () => {
  const server = await startFatalServer();
  const database = openPostgres(server.url, { poolSize: 2, connectTimeoutMs: 60_000 });
  const [held, holding] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holder = database.transaction(async () => {
    holding.resolve();
    await held.promise;
  });
  await holding.promise;
  server.endNext({ at: 'answer', query: 3 });
  const waiting: Promise<object[]>[] = [];
  const lost = database.transaction(async (tx) => {
    waiting.push(database.query('select 1'));
    await tx.query('select 2');
    await tx.query('select 3');
  });
  await expect(lost).rejects.toMatchObject({ code: 'db.unreachable' });
  // The holder's connection is one of the old ones and has not been given back.
  expect(await waiting[0]).toEqual([]);
  held.resolve();
  await holder;
  await database.close();
});

test('a listening connection terminated at any of its steps is replaced, even while it is being made', async () => {
  const server = await startFatalServer();
  const database = openPostgres(server.url);
  let reconnects = 0;
  const listener = openNotifications(database, ['one', 'two'], {
    onNotify: () => {},
    onReconnect: () => void reconnects++,
  });
  server.endNext(
    { at: 'answer', query: 3 }, // the start, at the last of its LISTENs
    { at: 'ready' },
    { at: 'answer', query: 1 }, // the settings of the session
    { at: 'answer', query: 2 },
    { at: 'ready' },
    { at: 'answer', query: 3 },
    null,
  );
  // Its last LISTEN was answered: it is connected, and then the connection is lost.
  await listener.start();
  await eventually('it listens again', () => (server.connections >= 7 && listener.listening() ? true : null));
  expect(reconnects).toBeGreaterThanOrEqual(1);
  await listener.stop();
  await database.close();
});

test('a listener whose first connection is terminated can be started again', async () => {
  const server = await startFatalServer();
  const database = openPostgres(server.url);
  const listener = openNotifications(database, ['one'], { onNotify: () => {}, onReconnect: () => {} });
  server.endNext({ at: 'ready' }, { at: 'answer', query: 1 });
  await expect(listener.start()).rejects.toMatchObject({ code: 'db.unreachable' });
  await listener.start().catch((error: unknown) => expect(error).toMatchObject({ code: 'db.unreachable' }));
  await eventually('it listens', async () => {
    if (!listener.listening()) await listener.start().catch(() => {});
    return listener.listening() ? true : null;
  });
  await listener.stop();
  await database.close();
});
