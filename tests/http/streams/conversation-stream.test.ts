import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { tellWatchers } from '../../../src/store/events/live/live-pieces.ts';
import { chatOf, type HttpChat } from '../../features/conversations/operations/conversation-driver.ts';
import { beginAnswer, endAnswer } from '../../store/conversations/begun.ts';
import { type TestApi, testApi } from '../../support/api.ts';
import { type EventReader, type GotEvent, readEventStream } from '../../support/event-reader.ts';
import { eventually } from '../../support/eventually.ts';
import { createPerson } from '../../support/people.ts';

const { start, owner } = testApi();
const NONE = '01900000-0000-7000-8000-000000000000';

test('everybody who takes part gets what is said, the text of an answer while it comes, and its end', async () => {
  const { api, chat } = await aliceAndBob();
  const { body: said } = await say(api, chat, 'Why?');
  const bob = await read(api, chat, 'bob');
  const work = await beginAnswer(owner(), chat);
  await bob.until(({ data }) => data['live'] === true && data['state'] === 'running');
  await owner().query('select animus.begin_turn($1, $2, 1)', [work.key.focusId, work.leaseToken]);
  const piece = (from: number, text: string) => tellWatchers(owner(), work.key, { focus: 1, turn: 1, from, text });
  await eventually('a watcher', async () => ((await piece(0, 'Bec')) ? true : null));
  await piece(3, 'ause.');
  const hint = await bob.until(({ type, data }) => type === 'text' && data['from'] === 3);
  expect(hint).toMatchObject({ id: null, data: { live: true, text: 'ause.', work_item_id: said.work_item_id } });
  // A reader that joins meanwhile gets what has arrived as one piece.
  const late = await read(api, chat, 'alice');
  expect(await late.until(({ type }) => type === 'text')).toMatchObject({
    id: null,
    data: { from: 0, text: 'Because.' },
  });
  await endAnswer(owner(), work, 'Because.');
  const answered = await bob.until(({ type }) => type === 'answered');
  expect(answered.data).toMatchObject({
    text: 'Because.',
    after: said.message_id,
    ended_as: 'completed',
    work_item_id: said.work_item_id,
  });
  // The conversation goes on.
  await say(api, chat, 'And then?');
  await bob.until(({ data }) => data['text'] === 'And then?');
  expect(recorded(bob).map(gist).slice(0, 10)).toEqual([
    'people person:alice',
    'people person:bob',
    'said Why?',
    'state queued',
    'state running',
    'turn',
    'text Because.',
    'done completed',
    'answered Because.',
    'said And then?',
  ]);
  await Promise.all([bob.leave(), late.leave()]);
});

test('from each id it goes on without a gap or a repetition; `now` begins with the answers that are being given', async () => {
  const { api, chat } = await aliceAndBob();
  await say(api, chat, 'one');
  await endAnswer(owner(), await beginAnswer(owner(), chat), 'first');
  await say(api, chat, 'two');
  const whole = await read(api, chat, 'alice');
  await whole.until(({ data }) => data['live'] === true);
  const all = recorded(whole);
  expect(all.map(gist).slice(-2)).toEqual(['said two', 'state queued']);
  for (const [index, { id }] of all.entries()) {
    const again = await read(api, chat, 'alice', `?after=${id}`);
    await again.until(({ data }) => data['live'] === true);
    expect(recorded(again)).toEqual(all.slice(index + 1));
    await again.leave();
  }
  const now = await read(api, chat, 'bob', '?after=now');
  const first = await now.until(() => true);
  expect(first).toMatchObject({ type: 'position', id: expect.any(String) });
  await now.until(({ type, id }) => type === 'state' && id !== null);
  expect(recorded(now).map(gist)).toEqual(['state queued']);
  const after = await read(api, chat, 'bob', `?after=${first.id}`);
  await after.until(({ data }) => data['live'] === true);
  expect(recorded(after)).toEqual(recorded(now));
  await Promise.all([whole.leave(), now.leave(), after.leave()]);
});

test('whoever is removed, or reads a conversation that is deleted, is stopped as a stranger is', async () => {
  const { api, chat } = await aliceAndBob();
  const [alice, bob] = [await read(api, chat, 'alice'), await read(api, chat, 'bob')];
  await bob.until(({ data }) => data['actor'] === 'person:bob');
  await alice.until(({ data }) => data['actor'] === 'person:bob');
  await api.call('alice', 'DELETE', `${chat.path}/people/person:bob`);
  await say(api, chat, 'He is gone.');
  await bob.ended;
  expect(bob.events.at(-1)).toMatchObject({ type: 'closed', data: { code: 'work.not_found' } });
  expect(bob.events.some(({ type, data }) => type === 'said' || data['joined'] === false)).toBe(false);
  await alice.until(({ data }) => data['text'] === 'He is gone.');
  await api.call('alice', 'DELETE', chat.path);
  await alice.ended;
  expect(alice.events.at(-1)).toMatchObject({ type: 'closed', data: { code: 'work.not_found' } });
});

test('for a stranger it is not there, over SSE and the WebSocket, as one that does not exist; a reader of all work reads it', async () => {
  const { api, chat } = await aliceAndBob();
  await createPerson(owner(), 'rita', 'reader');
  const answerOf = async (id: string, workspace: string) => {
    const { status, body } = await api.call('mallory', 'GET', `/workspaces/${workspace}/chats/${id}/events`);
    return [status, JSON.stringify(body).replaceAll(id, 'ID')];
  };
  expect(await answerOf(chat.id, chat.workspace)).toEqual(await answerOf(NONE, chat.workspace));
  expect((await answerOf(chat.id, chat.workspace))[0]).toBe(404);
  // Its participants do not find it in another workspace, either.
  const other = await chatOf(api, 'mallory');
  expect((await api.call('alice', 'GET', `/workspaces/${other.workspace}/chats/${chat.id}/events`)).status).toBe(404);
  expect((await api.call('alice', 'GET', `${chat.path}/events?after=nonsense`)).status).toBe(400);

  const errorOf = async (id: string) => {
    const error = await subscribe(api, 'mallory', { chat: id }, ({ type }) => type === 'error');
    return JSON.stringify(error).replaceAll(id, 'ID');
  };
  expect(await errorOf(chat.id)).toBe(await errorOf(NONE));
  expect(await errorOf(chat.id)).toContain('work.not_found');
  const invited = (message: Message) => message['event']?.actor === 'person:bob';
  expect(await subscribe(api, 'bob', { chat: chat.id }, invited)).toMatchObject({
    event: { type: 'people', joined: true },
  });
  expect(await subscribe(api, 'bob', { chat: chat.id, work: NONE }, ({ type }) => type === 'error')).toMatchObject({
    code: 'usage.invalid',
  });
  const rita = await read(api, chat, 'rita');
  await rita.until(({ data }) => data['actor'] === 'person:bob');
  await rita.leave();
});

test('a reader whose items have streams of their own gets both', async () => {
  const { api, chat } = await aliceAndBob();
  const { body: said } = await say(api, chat, 'Why?');
  const both = await read(api, chat, 'alice');
  const headers = { authorization: `Bearer ${await api.tokenOf('bob')}` };
  const item = await readEventStream(`${api.url}/api/v1/work/${said.work_item_id}/events`, { headers });
  await item.until(({ data }) => data['live'] === true);
  await both.until(({ data }) => data['live'] === true);
  await endAnswer(owner(), await beginAnswer(owner(), chat), 'Because.');
  await item.ended;
  await both.until(({ type }) => type === 'answered');
  expect(recorded(item).at(-1)!.type).toBe('done');
  await both.leave();
});

async function aliceAndBob(): Promise<{ readonly api: TestApi; readonly chat: HttpChat }> {
  const api = await start();
  const chat = await chatOf(api, 'alice');
  await api.call('alice', 'POST', `${chat.path}/people`, { body: { actor: 'person:bob' } });
  return { api, chat };
}

function say(api: TestApi, { path }: HttpChat, content: string) {
  return api.call('alice', 'POST', path, { body: { content } });
}

async function read(api: TestApi, { path }: HttpChat, person: string, query = ''): Promise<EventReader> {
  const headers = { authorization: `Bearer ${await api.tokenOf(person)}` };
  return readEventStream(`${api.url}/api/v1${path}/events${query}`, { headers });
}

function recorded({ events }: EventReader): GotEvent[] {
  return events.filter(({ id, data }) => id !== null && data['live'] !== true);
}

function gist({ type, data }: GotEvent): string {
  return `${type} ${(data['text'] ?? data['state'] ?? data['actor'] ?? '') as string}`.trim();
}

// oxlint-disable-next-line typescript/no-explicit-any -- whatever the server sends
type Message = Record<string, any>;

/** The first message that matches, after a subscription. */
async function subscribe(
  api: TestApi,
  person: string,
  what: object,
  match: (message: Message) => boolean,
): Promise<Message> {
  const headers = { authorization: `Bearer ${await api.tokenOf(person)}` };
  const socket = new WebSocket(`${api.url.replace('http', 'ws')}/api/v1/socket`, { headers });
  onTestFinished(() => socket.terminate());
  socket.on('open', () => socket.send(JSON.stringify({ type: 'subscribe', name: 'a', ...what })));
  return new Promise((resolve) => {
    socket.on('message', (data) => {
      const message = JSON.parse((data as Buffer).toString('utf8')) as Message;
      if (match(message)) resolve(message);
    });
  });
}
