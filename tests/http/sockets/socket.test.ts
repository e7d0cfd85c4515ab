import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { removeParticipant, setParticipant } from '../../../src/features/conversations/store/conversations.ts';
import { appendLedger } from '../../../src/store/transcript/ledger.ts';
import { newTalk } from '../../store/conversations/begun.ts';
import { testApi } from '../../support/api.ts';
import { liveProbe } from '../../support/live-probe.ts';
import { createPerson, createToken } from '../../support/people.ts';

const { start, owner } = testApi();

test('a socket has subscriptions to events that go on after an id, and commands', async () => {
  const api = await start();
  const { body } = await api.call('ada', 'POST', '/work', { body: { faculty: 'clerk', description: 'count' } });
  const socket = await open(api.url, { authorization: `Bearer ${await api.tokenOf('ada')}` });
  socket.send({ type: 'subscribe', name: 'mine', work: body.id });
  socket.send({ type: 'subscribe', name: 'all' });
  const first = await socket.until((message) => message['event']?.id !== undefined);
  expect(first).toMatchObject({ type: 'event', name: 'mine', event: { type: 'state', state: 'queued' } });
  const snapshot = await socket.until((message) => message['event']?.type === 'snapshot');
  expect(snapshot).toMatchObject({ name: 'all', event: { items: [{ work_item_id: body.id, state: 'queued' }] } });

  socket.send({ type: 'command', name: 'c1', do: 'say', work: body.id, text: 'count twice' });
  expect(await socket.until(({ name }) => name === 'c1')).toMatchObject({ type: 'result', work_item_id: body.id });
  const said = await socket.until((message) => message['event']?.type === 'message');
  expect(said).toMatchObject({ event: { text: 'count twice', author: 'person:ada' } });

  socket.send({ type: 'unsubscribe', name: 'mine' });
  expect(await socket.until(({ type }) => type === 'end')).toMatchObject({ name: 'mine' });
  await appendLedger(owner(), body.id, 'note', 'meanwhile');
  socket.send({ type: 'subscribe', name: 'again', work: body.id, after: said['event'].id });
  const next = await socket.until((message) => message['name'] === 'again' && message['event']?.id !== undefined);
  expect(next).toMatchObject({ event: { type: 'ledger', content: 'meanwhile' } });

  socket.send({ type: 'command', name: 'c2', do: 'cancel', work: body.id });
  expect(await socket.until(({ name }) => name === 'c2')).toMatchObject({ state: 'cancelled' });
  expect(await socket.until(({ name, type }) => name === 'again' && type === 'end')).toBeTruthy();
  await socket.close();
});

test('a ping is answered: browsers do not see those of the protocol', async () => {
  const api = await start();
  const socket = await open(api.url, { authorization: `Bearer ${await api.tokenOf('ada')}` });
  socket.send({ type: 'ping', name: 'p' });
  expect(await socket.until(() => true)).toEqual({ type: 'pong', name: 'p' });
  await socket.close();
});

test('a socket gets no events of work that its person may not see, and no command works', async () => {
  const api = await start();
  const { body } = await api.call('ada', 'POST', '/work', { body: { faculty: 'clerk', description: 'count' } });
  // Browsers cannot send the header.
  const socket = await open(api.url, {}, ['animus.v1', `token.${await api.tokenOf('bob')}`]);
  socket.send({ type: 'subscribe', name: 'hers', work: body.id });
  expect(await socket.until(({ name }) => name === 'hers')).toMatchObject({ type: 'error', code: 'work.not_found' });
  socket.send({ type: 'command', name: 'c', do: 'cancel', work: body.id });
  expect(await socket.until(({ name }) => name === 'c')).toMatchObject({ type: 'error', code: 'work.not_found' });
  socket.send({ type: 'command', name: 'd', do: 'approve', work: body.id, ask_id: body.id });
  expect(await socket.until(({ name }) => name === 'd')).toMatchObject({ type: 'error' });
  for (const nonsense of ['{', '[]', '{"type":"subscribe"}', '{"type":"run","name":"x"}']) socket.sendText(nonsense);
  await socket.until(({ name, code }) => name === 'x' && code === 'usage.invalid');
  await socket.close();
});

test('subscriptions that begin and end at once, hundreds of times, leave nothing behind', async () => {
  const probe = liveProbe();
  const api = await start({ routes: probe.routes });
  const { body } = await api.call('ada', 'POST', '/work', { body: { faculty: 'clerk', description: 'count' } });
  const socket = await open(api.url, { authorization: `Bearer ${await api.tokenOf('ada')}` });
  const NAMES = 80;
  for (let round = 0; round < 4; round++) {
    for (let n = 0; n < NAMES; n++) {
      socket.send({ type: 'subscribe', name: `${round} ${n}`, ...(n % 3 > 0 && { work: body.id }) });
      if (n % 2 === 0) socket.send({ type: 'unsubscribe', name: `${round} ${n}` });
      // It is in use until its end.
      if (n % 10 === 0) socket.send({ type: 'subscribe', name: `${round} ${n}`, work: body.id });
      if (n % 10 === 1) socket.send({ type: 'unsubscribe', name: 'unknown' });
    }
    await socket.until(({ name, type }) => type === 'event' && name === `${round} ${NAMES - 1}`);
    for (let n = 0; n < NAMES; n++) socket.send({ type: 'unsubscribe', name: `${round} ${n}` });
    const over = new Set<string>();
    await socket.until(({ name, type, code }) => {
      if (type === 'end') over.add(name);
      if (type === 'error') expect(code).toBe('usage.invalid');
      return over.size === NAMES;
    });
    await probe.watched(api, 0);
  }
  // In the same moment as it closes, too.
  for (let n = 0; n < NAMES; n++) socket.send({ type: 'subscribe', name: `${n}`, work: body.id });
  await socket.close();
  await probe.watched(api, 0);
});

test('a subscription ends with an error when its person may not see it any more', async () => {
  const api = await start();
  const db = owner();
  const talk = await newTalk(db);
  for (const actor of ['person:ada', 'person:bob']) await setParticipant(db, talk.id, actor);
  const socket = await open(api.url, { authorization: `Bearer ${await api.tokenOf('bob')}` });
  socket.send({ type: 'subscribe', name: 'talk', chat: talk.id });
  await socket.until((message) => message['event']?.type === 'people' && message['event'].actor === 'person:bob');
  await removeParticipant(db, talk.id, 'person:bob');
  expect(await socket.until(({ type }) => type === 'error')).toMatchObject({ name: 'talk', code: 'work.not_found' });
  await socket.close();
});

test('nobody opens a socket without a token, from another page, or elsewhere', async () => {
  const api = await start();
  const authorization = `Bearer ${await api.tokenOf('ada')}`;
  await expect(open(api.url, {})).rejects.toThrow('401');
  await expect(open(api.url, { authorization: 'Bearer animus_wrong' })).rejects.toThrow('401');
  await expect(open(api.url, { authorization, origin: 'https://evil.example' })).rejects.toThrow('403');
  await expect(open(api.url, { authorization, host: 'evil.example' })).rejects.toThrow('421');
  await expect(open(`${api.url}/x`, { authorization })).rejects.toThrow();
});

test('a socket needs a token that may read', async () => {
  const api = await start();
  await createPerson(owner(), 'cleo');
  const bearer = async (scope: 'read' | 'work') =>
    `Bearer ${(await createToken(owner(), 'cleo', { scopes: [scope] })).secret}`;
  await expect(open(api.url, { authorization: await bearer('work') })).rejects.toThrow('403');
  const socket = await open(api.url, { authorization: await bearer('read') });
  await socket.close();
});

test('the end of the server closes sockets', async () => {
  const api = await start();
  const socket = await open(api.url, { authorization: `Bearer ${await api.tokenOf('ada')}` });
  await api.stop();
  expect(await socket.closed).toBe(1001);
});

// oxlint-disable-next-line typescript/no-explicit-any -- whatever the server sends
type Message = Record<string, any>;

async function open(url: string, headers: Record<string, string>, protocols: string[] = []) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/v1/socket`, protocols, { headers });
  onTestFinished(() => socket.terminate());
  const messages: Message[] = [];
  const waiting = new Set<() => void>();
  socket.on('message', (data) => {
    messages.push(JSON.parse((data as Buffer).toString('utf8')) as Message);
    for (const look of waiting) look();
  });
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  await new Promise<void>((resolve, reject) => {
    socket.once('open', () => resolve());
    socket.once('error', reject);
  });
  return {
    closed,
    send: (message: object) => socket.send(JSON.stringify(message)),
    sendText: (text: string) => socket.send(text),
    until: (match: (message: Message) => boolean) =>
      new Promise<Message>((resolve) => {
        const look = () => {
          const found = messages.find(match);
          if (!found) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    async close() {
      socket.close();
      await closed;
    },
  };
}
