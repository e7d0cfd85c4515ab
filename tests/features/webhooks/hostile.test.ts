import { type AddressInfo, createServer, type LookupFunction, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { testWebhook } from '../../../src/features/webhooks/store.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';
import { eventually } from '../../support/eventually.ts';
import { webhookSending } from './fixtures.ts';

const { db, sending, add, startSender, dueNow, states } = webhookSending();

test('a receiver that never answers', async () => {
  sending.receiver.answer = () => {};
  await testWebhook(db(), sending.hook);
  await startSender({ sendMs: 300 });
  await eventually('the failure', async () => ((await states())[0]!.last_error !== null ? true : null));
  expect(await states()).toMatchObject([{ state: 'pending', last_error: 'no answer within 0.3 s' }]);
});

test('a body without end is not read', async () => {
  sending.receiver.answer = (_request, response) => {
    response.writeHead(200);
    const write = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      if (!response.destroyed) response.once('drain', write);
    };
    write();
  };
  await testWebhook(db(), sending.hook);
  await startSender();
  await eventually('the end', async () => ((await states())[0]!.state === 'delivered' ? true : null));
  expect(await states()).toMatchObject([{ last_status: 200, attempts: 1 }]);
});

test.each([
  ['http://localhost:PORT/', /without TLS/],
  ['https://localhost:PORT/', /^localhost has no address on the public internet$/],
  ['https://127.0.0.2:PORT/', /127.0.0.2 is not on the public internet/],
  ['https://169.254.169.254/', /not on the public internet/],
  ['https://[::ffff:10.0.0.1]/', /not on the public internet/],
  ['https://2130706434/', /127.0.0.2 is not on the public internet/],
  ['https://example.com:25/', /port 25 is not allowed/],
])('nothing is sent to %s', async (url, error) => {
  await testWebhook(db(), await add(url.replace('PORT', String(sending.receiver.port))));
  await startSender({ allowed: [] });
  await eventually('the refusal', async () => ((await states())[0]!.last_error !== null ? true : null));
  expect(await states()).toMatchObject([{ last_status: null, last_error: expect.stringMatching(error) }]);
  expect(sending.receiver.received).toEqual([]);
});

test('a name that does not exist, one that cannot be resolved and one with a private address look alike to the owner, not to the operator', async () => {
  const port = sending.receiver.port;
  const resolve: LookupFunction = (host, _options, done) => {
    if (host === 'private.example') return done(null, [{ address: '10.1.2.3', family: 4 }]);
    const code = host === 'absent.example' ? 'ENOTFOUND' : 'EAI_AGAIN';
    done(Object.assign(new Error(`getaddrinfo ${code} ${host}`), { code, syscall: 'getaddrinfo' }), []);
  };
  const names = ['private.example', 'absent.example', 'unknown.example'];
  for (const name of names) await testWebhook(db(), await add(`https://${name}:${port}/`));
  const logged: unknown[] = [];
  await startSender({
    allowed: [],
    resolve,
    log: { ...silentLog, info: (fields: object) => void logged.push(fields) },
  });
  const errors = await eventually('the failures', async () => {
    const found = (await states()).map(({ last_error }) => last_error);
    return found.includes(null) ? null : found;
  });
  expect(errors).toEqual(names.map((name) => `${name} has no address on the public internet`));
  await eventually('the log', () => (logged.length === 3 ? true : null));
  expect(logged.map((fields) => (fields as { readonly error: string }).error).toSorted()).toEqual([
    'getaddrinfo EAI_AGAIN unknown.example',
    'getaddrinfo ENOTFOUND absent.example',
    'private.example has the address 10.1.2.3, which is not on the public internet',
  ]);
});

test('why a connection failed does not name the address', async () => {
  const { promise: closed, resolve: port } = Promise.withResolvers<number>();
  const server = createServer().listen(0, '127.0.0.1', () => {
    const free = (server.address() as AddressInfo).port;
    server.close(() => port(free));
  });
  await testWebhook(db(), await add(`http://127.0.0.1:${await closed}/`));
  await startSender();
  await eventually('the failure', async () => ((await states())[0]!.last_error !== null ? true : null));
  expect((await states())[0]!.last_error).toBe('the connection failed: ECONNREFUSED');
});

test('a name is resolved once for each attempt, and each time the address is checked', async () => {
  const answers = ['93.184.215.14', '127.0.0.1'];
  const asked: string[] = [];
  const resolve: LookupFunction = (host, _options, done) => {
    asked.push(host);
    // One public address beside a private one is refused, too.
    done(
      null,
      answers
        .slice(0, asked.length)
        .map((address) => ({ address, family: 4 }))
        .toReversed(),
    );
  };
  await testWebhook(db(), await add(`https://rebinding.example:${sending.receiver.port}/`));
  await startSender({ allowed: [], resolve });
  for (const attempts of [1, 2]) {
    await eventually('the attempt', async () => {
      const [row] = await db().query<{ claim: string | null; attempts: number }>(
        'select claim, attempts from animus.webhook_deliveries',
      );
      return row!.attempts === attempts && row!.claim === null ? true : null;
    });
    expect(asked).toHaveLength(attempts);
    await dueNow();
  }
  expect((await states())[0]!.last_error).toBe('rebinding.example has no address on the public internet');
  expect(sending.receiver.received).toEqual([]);
});

test.each([
  [
    'headers without end',
    (socket: Socket) => void socket.write(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}`),
    /Headers Overflow/i,
  ],
  ['no HTTP', (socket: Socket) => void socket.end('SSH-2.0-OpenSSH_9.9\r\n'), /./],
  ['preliminary answers without end', (socket: Socket) => flood(socket, 'HTTP/1.1 102 Processing\r\n\r\n'), /./],
  ['a reset', (socket: Socket) => void socket.resetAndDestroy(), /./],
])('a hostile answer is a failure: %s', async (_what, answer, error) => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => answer(socket));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  await testWebhook(db(), await add(`http://127.0.0.1:${port}/`));
  await startSender({ sendMs: 500 });
  await eventually('the failure', async () => ((await states())[0]!.last_error !== null ? true : null));
  expect(await states()).toMatchObject([{ state: 'pending', last_error: expect.stringMatching(error) }]);
});

function flood(socket: Socket, text: string): void {
  while (!socket.destroyed && socket.write(text));
  if (!socket.destroyed) socket.once('drain', () => flood(socket, text));
}
