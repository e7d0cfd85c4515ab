/** The bytes of a stream of events, for whoever passes them on. */
import { expect, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { appendLedger } from '../../src/store/transcript/ledger.ts';
import { completeWork } from '../../src/store/work/work.ts';
import { testApi } from '../support/api.ts';
import { beginFocus } from '../support/begun-focus.ts';
import { createPerson } from '../support/people.ts';
import { breaks, json, startFakeServer } from './fake-server.ts';

const { start, owner } = testApi();

test('they come as the server sends them, after an event, and 204 where nothing follows', async () => {
  await createPerson(owner(), 'olga', 'reader');
  const { url, tokenOf } = await start();
  const client = createClient({ baseUrl: url, token: await tokenOf('olga') });
  const work = await beginFocus(owner());
  await appendLedger(owner(), work.id, 'finding', 'it rains', { leaseToken: work.leaseToken });
  await completeWork(owner(), work, {}, 'done');
  const whole = await client.work.rawEvents(work.id);
  expect([whole.status, whole.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  const text = await whole.text();
  expect(text).toContain('event: ledger\ndata: {"type":"ledger"');
  const ids = [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id!);
  const rest = await client.work.rawEvents(work.id, { after: ids.at(-2) });
  const tail = await rest.text();
  expect([...tail.matchAll(/^id: (.*)$/gm)].map(([, id]) => id)).toEqual([ids.at(-1)]);
  expect((await client.work.rawEvents(work.id, { after: ids.at(-1) })).status).toBe(204);
  await expect(client.work.rawEvents(crypto.randomUUID())).rejects.toMatchObject({ code: 'work.not_found' });
});

test('of a conversation they begin now; a signal ends them', async () => {
  const { url, tokenOf } = await start();
  const client = createClient({ baseUrl: url, token: await tokenOf('alice') });
  const workspace = await client.workspaces.create({ name: 'raw' });
  const chat = await client.chats.start(workspace.id, { title: 'Raw' });
  const leaving = new AbortController();
  const { body } = await client.chats.rawEvents(workspace.id, chat.id, { after: 'now', signal: leaving.signal });
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes('event: position')) text += (await reader.read()).value ?? '';
  leaving.abort(new Error('enough'));
  await expect(reader.read()).rejects.toThrow('enough');
});

test('it is sent again until there is an answer, and takes no id that a header cannot contain', async () => {
  const { client, requests } = await startFakeServer([breaks, json({})]);
  expect((await client.work.rawStates()).status).toBe(200);
  expect(requests.map(({ path, headers }) => [path, headers.accept])).toEqual(
    [1, 2].map(() => ['/api/v1/events', 'text/event-stream']),
  );
  await expect(client.work.rawEvents('x', { after: 'a\nb' })).rejects.toMatchObject({ code: 'client.invalid' });
});
