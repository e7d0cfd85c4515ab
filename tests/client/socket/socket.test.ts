/** The WebSocket of the client, against real servers. */
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { type ClientOptions, createClient, type Socket, type WorkEvent } from '../../../src/client/client.ts';
import { CLIENT_MESSAGE } from '../../../src/http/sockets/socket-messages.ts';
import { appendLedger } from '../../../src/store/transcript/ledger.ts';
import { completeWork } from '../../../src/store/work/work.ts';
import { askedItem } from '../../store/work/asked-item.ts';
import { type TestApi, testApi } from '../../support/api.ts';
import { askOf } from '../../support/ask-of.ts';
import { beginFocus } from '../../support/begun-focus.ts';
import { createPerson } from '../../support/people.ts';
import { collect } from '../fake-server.ts';

const { start, owner } = testApi();

async function socketOf(
  person: string,
  api?: TestApi,
  options: Partial<ClientOptions> = {},
): Promise<{ readonly client: ReturnType<typeof createClient>; readonly socket: Socket }> {
  const { url, tokenOf } = api ?? (await start());
  const client = createClient({ baseUrl: url, token: await tokenOf(person), ...options });
  const socket = client.openSocket();
  onTestFinished(() => socket.close());
  return { client, socket };
}

test.each([
  ['the platform', {}],
  ['the package ws', { webSocket: WebSocket }],
])('events, states and commands with the WebSocket of %s', async (_, options) => {
  const { client, socket } = await socketOf('alice', undefined, options);
  const { id } = await client.work.submit({ faculty: 'sockets', description: 'count' });
  const states = socket.states();
  expect((await states.next()).value).toMatchObject({ type: 'snapshot' });
  const got: WorkEvent[] = [];
  let reason = '';
  for await (const event of socket.work(id)) {
    got.push(event);
    if (event.type === 'state' && 'id' in event && event.state === 'queued') {
      expect(await socket.say(id, { text: 'twice' })).toMatchObject({ work_item_id: id, state: 'queued' });
    }
    if (event.type === 'message') expect(await socket.cancel(id, { reason: 'enough' })).toEqual({ state: 'cancelled' });
    if (event.type === 'done') reason = event.state;
  }
  expect(reason).toBe('cancelled');
  expect(got.filter((event) => 'id' in event).map(({ type }) => type)).toEqual(['state', 'message', 'state', 'done']);
  for await (const event of states) if (event.type === 'done' && event.work_item_id === id) break;
});

test('decisions; what may not be done is an error with its code', async () => {
  await createPerson(owner(), 'oscar', 'operator');
  const { socket } = await socketOf('oscar');
  const asked = await askedItem(owner());
  const ask = await askOf(owner(), asked.id, 'c1');
  await expect(socket.approve(asked.id, { ask_id: crypto.randomUUID() })).rejects.toMatchObject({
    code: 'work.not_found',
  });
  expect(await socket.deny(asked.id, { ask_id: ask, note: 'no' })).toEqual({ ask_id: ask, budget: null });
  await expect(socket.answer(asked.id, { ask_id: ask, text: 'x' })).rejects.toMatchObject({ code: 'work.state' });
  const other = await socketOf('bob');
  await expect(other.socket.cancel(asked.id)).rejects.toMatchObject({ code: 'work.not_found' });
  await expect(other.socket.work(asked.id).next()).rejects.toMatchObject({ code: 'work.not_found' });
  await expect(other.socket.say(asked.id, { text: 'x'.repeat(300_000) })).rejects.toMatchObject({
    code: 'client.invalid',
  });
});

test('streams go on after the last event, at the next server when one stops', async () => {
  await createPerson(owner(), 'olga', 'reader');
  const servers = [await start(), await start()];
  const client = createClient({ baseUrl: servers.map(({ url }) => url), token: await servers[0]!.tokenOf('olga') });
  const socket = client.openSocket();
  onTestFinished(() => socket.close());
  const work = await beginFocus(owner());
  const events: WorkEvent[] = [];
  const reading = (async () => {
    for await (const event of socket.work(work.id)) events.push(event);
  })();
  for (const [n, server] of servers.entries()) {
    await appendLedger(owner(), work.id, 'note', `entry ${n}`, { leaseToken: work.leaseToken });
    await expect
      .poll(() => events.some((event) => event.type === 'ledger' && event.content === `entry ${n}`))
      .toBe(true);
    if (n === 0) await server.stop();
  }
  await completeWork(owner(), work, {}, 'done');
  await reading;
  expect(events.filter((event) => 'id' in event).map(({ type }) => type)).toEqual([
    'state',
    'state',
    'ledger',
    'ledger',
    'done',
  ]);
});

test('a slow reader gets all recorded events, although no more than a thousand wait for it', async () => {
  await createPerson(owner(), 'olga', 'reader');
  const { socket } = await socketOf('olga');
  const work = await beginFocus(owner());
  const events = socket.work(work.id);
  await events.next();
  for (let n = 0; n < 1300; n++) {
    await appendLedger(owner(), work.id, 'note', `entry ${n}`, { leaseToken: work.leaseToken });
  }
  await completeWork(owner(), work, {}, 'done');
  const got = await collect(events);
  const entries = got.flatMap((event) => (event.type === 'ledger' ? event.content : []));
  expect(entries).toEqual(Array.from({ length: 1300 }, (_, n) => `entry ${n}`));
});

test('a token that is not valid is told as such, a server that is not there after the patience', async () => {
  const { url } = await start();
  const refused = createClient({ baseUrl: url, token: 'not-a-token' }).openSocket();
  await expect(refused.states().next()).rejects.toMatchObject({ code: 'http.unauthorized', status: 401 });
  await expect(refused.cancel('x')).rejects.toMatchObject({ code: 'http.unauthorized' });
  const nowhere = createClient({ baseUrl: 'http://127.0.0.1:1', token: 'x' }).openSocket({ patienceMs: 300 });
  await expect(nowhere.states().next()).rejects.toMatchObject({ code: 'client.unreachable' });
  for (const socket of [refused, nowhere]) socket.close();
});

test('a command whose connection breaks before the answer says that it may have had its effect', async () => {
  class Breaking extends WebSocket {
    override send(text: string): void {
      super.send(text);
      if (text.includes('"cancel"')) this.terminate();
    }
  }
  const { client, socket } = await socketOf('alice', undefined, { webSocket: Breaking });
  const { id } = await client.work.submit({ faculty: 'sockets' });
  await expect(socket.cancel(id)).rejects.toMatchObject({
    code: 'client.unreachable',
    message: 'the connection broke before the answer: the command may have had its effect',
    retryable: false,
  });
});

test('a signal ends a stream with its reason; `close` ends all, and afterwards nothing begins', async () => {
  const { client, socket } = await socketOf('alice');
  const { id } = await client.work.submit({ faculty: 'sockets' });
  const leaving = new AbortController();
  const one = socket.work(id, { signal: leaving.signal });
  const other = socket.work(id);
  await Promise.all([one.next(), other.next()]);
  const [next, last] = [collect(one), collect(other)];
  leaving.abort(new Error('enough'));
  await expect(next).rejects.toThrow('enough');
  socket.close();
  expect((await last).length).toBeLessThan(3);
  expect(await socket.work(id).next()).toMatchObject({ done: true });
  await expect(socket.cancel(id)).rejects.toMatchObject({ code: 'client.invalid' });
});

test('it has a method for every command of the server, and a stream for every subscription', () => {
  const { shape } = CLIENT_MESSAGE.options[0];
  const subscriptions = Object.keys(shape).filter((key) => !['type', 'name', 'after'].includes(key));
  const commands = CLIENT_MESSAGE.options[3].options.map((option) => [...option.shape.do.values][0]!);
  const socket = createClient({ baseUrl: 'http://h', token: 'x' }).openSocket();
  const names = new Set(Object.keys(socket));
  expect(new Set([...subscriptions, ...commands, 'states', 'close'])).toEqual(names);
});
