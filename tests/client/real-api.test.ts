/** The client and the API: effects happen once, and streams go on over a server that is replaced. */
import { expect, test } from 'vitest';
import { ApiError, type Client, type ClientOptions, createClient, type WorkEvent } from '../../src/client/client.ts';
import { appendLedger } from '../../src/store/transcript/ledger.ts';
import { completeWork } from '../../src/store/work/work.ts';
import { testApi } from '../support/api.ts';
import { beginFocus } from '../support/begun-focus.ts';
import { eventually } from '../support/eventually.ts';
import { createPerson } from '../support/people.ts';
import { collect } from './fake-server.ts';

const { start, owner } = testApi();

async function clientOf(person: string, options: Partial<ClientOptions> = {}): Promise<Client> {
  const { url, tokenOf } = await start();
  return createClient({ baseUrl: url, token: await tokenOf(person), ...options });
}

/** Sends each request, and loses its first answer. */
function forgetful(): NonNullable<ClientOptions['fetch']> {
  const seen = new Set<string>();
  return async (url, init) => {
    const response = await fetch(url, init);
    const key = `${init.method} ${url}`;
    if (seen.has(key)) return response;
    seen.add(key);
    await response.arrayBuffer();
    throw new TypeError('fetch failed');
  };
}

test('a request whose answer is lost has its effect once', async () => {
  const client = await clientOf('alice', { fetch: forgetful() });
  const { id } = await client.work.submit({ faculty: 'once', description: 'one' });
  await client.work.say(id, { text: 'hello' });
  const workspace = await client.workspaces.create({ name: 'mine' });
  const chat = await client.chats.start(workspace.id, { title: 'Plans' });
  await client.chats.say(workspace.id, chat.id, { content: 'hi' });
  expect(await collect(client.work.list({ faculty: ['once'] }))).toMatchObject([{ id, state: 'queued' }]);
  expect(await collect(client.chats.list(workspace.id))).toHaveLength(1);
  expect(await collect(client.chats.listMessages(workspace.id, chat.id))).toHaveLength(1);
  const [said] = await owner().query('select count(*)::int as messages from animus.mailbox where work_item_id = $1', [
    id,
  ]);
  expect(said).toEqual({ messages: 1 });
});

test('a change or a deletion whose answer is lost is answered as if nothing had happened', async () => {
  await createPerson(owner(), 'oscar', 'operator');
  const client = await clientOf('oscar', { fetch: forgetful() });
  const workspace = await client.workspaces.create({ name: 'mine' });
  const chat = await client.chats.start(workspace.id, {});
  expect(await client.chats.change(workspace.id, chat.id, { title: 'Plans' })).toMatchObject({ title: 'Plans' });
  const { message_id: id } = await client.chats.say(workspace.id, chat.id, { content: 'hi' });
  expect(await client.chats.deleteMessage(workspace.id, chat.id, id)).toEqual({ deleted: true });
  expect(await client.chats.delete(workspace.id, chat.id)).toEqual({ id: chat.id });
  const empty = await client.workspaces.create({ name: 'empty' });
  expect(await client.workspaces.rename(empty.id, { name: 'bare' })).toMatchObject({ name: 'bare' });
  expect(await client.workspaces.delete(empty.id)).toEqual({ id: empty.id, deleted: true });
  await client.schedules.add({ name: 'nightly', cron: '0 3 * * *', faculty: 'once' });
  expect(await client.schedules.remove('nightly')).toEqual({ name: 'nightly', removed: true });
  expect(await client.people.set('dana', { role: 'reader' })).toMatchObject({ role: 'reader' });
  await client.operate.pause({ faculty: 'once' });
  expect(await client.operate.resume('once')).toEqual({ faculty: 'once', resumed: true });
});

test('lists are read to their end, whatever the size of a page', async () => {
  const client = await clientOf('bob');
  const submitted: string[] = [];
  for (let n = 0; n < 5; n++) submitted.unshift((await client.work.submit({ faculty: 'paged' })).id);
  const listed = await collect(client.work.list({ faculty: ['paged'], limit: 2 }));
  expect(listed.map(({ id }) => id)).toEqual(submitted);
  expect(await client.work.list({ faculty: ['paged'], limit: 2 }).page()).toMatchObject({ next: submitted[1] });
});

test('an attachment comes back as a stream, whole or in part', async () => {
  const client = await clientOf('alice');
  const { id } = await client.work.submit({
    faculty: 'files',
    attachments: [{ name: 'a.csv', content: btoa('a,b\n1,2\n') }],
  });
  const [file] = await collect(client.artifacts.list(id));
  const response = await client.artifacts.read(file!.id);
  expect([await response.text(), response.headers.get('content-length')]).toEqual(['a,b\n1,2\n', '8']);
  const part = await client.artifacts.read(file!.id, { headers: { range: 'bytes=4-6' } });
  expect([part.status, await part.text()]).toEqual([206, '1,2']);
  const etag = response.headers.get('etag')!;
  expect((await client.artifacts.read(file!.id, { headers: { 'if-none-match': etag } })).status).toBe(304);
});

test('errors of the API are those of the table', async () => {
  const client = await clientOf('alice');
  const other = (await beginFocus(owner())).id;
  await expect(client.work.show(other)).rejects.toThrow(ApiError);
  await expect(client.work.show(other)).rejects.toMatchObject({
    code: 'work.not_found',
    status: 404,
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  await expect(client.operate.pause({})).rejects.toMatchObject({ code: 'http.forbidden', status: 403 });
  await expect(client.work.submit({ faculty: 'NO' })).rejects.toMatchObject({ code: 'http.invalid', status: 400 });
});

test('events go on over a server that is replaced, and the wait ends with the work', { timeout: 60_000 }, async () => {
  await createPerson(owner(), 'olga', 'reader');
  const first = await start();
  // The address stays, as behind a proxy; what answers there is another server.
  let serving = first;
  const client = createClient({
    baseUrl: 'http://animus.test',
    token: await first.tokenOf('olga'),
    fetch: (url, init) => fetch(url.replace('http://animus.test', serving.url), init),
  });
  const work = await beginFocus(owner());
  const events: WorkEvent[] = [];
  const waiting = client.wait(work.id, { onEvent: (event) => events.push(event) });
  const seen = (text: string) =>
    expect.poll(() => events.some((event) => 'content' in event && event.content === text)).toBe(true);
  for (const n of [1, 2, 3]) {
    await appendLedger(owner(), work.id, 'finding', `found ${n}`, { leaseToken: work.leaseToken });
    await seen(`found ${n}`);
    const before = serving;
    serving = await start();
    await before.stop();
  }
  await completeWork(owner(), work, { ok: true }, 'all done');
  expect(await waiting).toMatchObject({ id: work.id, state: 'completed', outcome_summary: 'all done' });
  const recorded = events.filter((event) => 'id' in event);
  expect(recorded.map(({ type }) => type)).toEqual(['state', 'state', 'ledger', 'ledger', 'ledger', 'done']);
});

test('a wait follows work into the item that it was merged into', async () => {
  const client = await clientOf('alice');
  const first = await client.work.submit({ faculty: 'merged', dedup_key: 'k' });
  const waiting = client.submitAndWait({ faculty: 'merged', dedup_key: 'k' }, { idempotencyKey: 'second' });
  await eventually('the second is merged', async () => {
    const rows = await owner().query('select from animus.work_items where merged_into = $1', [first.id]);
    return rows.length > 0 || null;
  });
  await client.work.cancel(first.id, { reason: 'enough' });
  expect(await waiting).toMatchObject({ id: first.id, state: 'cancelled', cancel_reason: 'enough' });
});
