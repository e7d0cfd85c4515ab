/** The `.chat` file, attachments, export and import. */
import { expect, test } from 'vitest';
import { chatOf, type Json, messagesOf } from '../../features/conversations/operations/conversation-driver.ts';
import { beginAnswer, endAnswer } from '../../store/conversations/begun.ts';
import { testApi } from '../../support/api.ts';
import { png } from '../../support/media-files.ts';

const { start, owner } = testApi();

test('a .chat file is read at its path; its ETag says when it changed', async () => {
  const api = await start();
  const chat = await chatOf(api, 'alice', { path: 'plans/Überblick 1.chat', title: 'Plans' });
  await api.call('alice', 'POST', chat.path, { body: { content: 'Why?' } });
  const files = `/workspaces/${chat.workspace}/files`;
  const { body: listed } = await api.call('alice', 'GET', files);
  expect(listed).toMatchObject({
    items: [{ id: chat.id, path: 'plans/Überblick 1.chat', is_virtual: true }],
    next: null,
  });
  const content = `${files}/content?path=${encodeURIComponent(listed.items[0].path)}`;
  const first = await api.call('alice', 'GET', content);
  expect(first.status).toBe(200);
  expect(first.body).toMatch(/^# Plans\n[^]*\n## \d+ · user · person:alice · [^]*\n\nWhy\?\n$/);
  expect(first.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
  const etag = first.headers.get('etag')!;
  for (const given of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
    const known = await api.call('alice', 'GET', content, { headers: { 'if-none-match': given } });
    expect([known.status, known.body, known.headers.get('etag')]).toEqual([304, '', etag]);
  }
  await endAnswer(owner(), await beginAnswer(owner(), chat), 'Because.');
  const second = await api.call('alice', 'GET', content, { headers: { 'if-none-match': etag } });
  expect(second.status).toBe(200);
  expect(second.body).toContain('\n\nBecause.\n');
  for (const path of ['../x.chat', '/etc/passwd', 'plans/../plans/Überblick 1.chat', 'plans//Überblick 1.chat']) {
    const odd = await api.call('alice', 'GET', `${files}/content?path=${encodeURIComponent(path)}`);
    expect([path, odd.status]).toEqual([path, 404]);
  }
});

test('files come with a message and are read again', async () => {
  const api = await start();
  const chat = await chatOf(api, 'alice');
  await api.call('alice', 'POST', `${chat.path}/people`, { body: { actor: 'person:bob' } });
  const attachments = [{ name: 'table.csv', content: Buffer.from('a,b\n').toString('base64') }];
  const { body: said } = await api.call('alice', 'POST', chat.path, { body: { content: 'Look', attachments } });
  const { body: files } = await api.call('bob', 'GET', `${chat.path}/attachments`);
  expect(files).toMatchObject({ items: [{ name: 'table.csv', bytes: 4, message_id: said.message_id }], next: null });
  expect((await api.call('bob', 'GET', `/artifacts/${files.items[0].id}`)).body).toBe('a,b\n');
  const [message] = await messagesOf(api, 'bob', chat);
  expect(message.attachments).toMatchObject([{ id: files.items[0].id }]);
});

test('they are files of the workspace, under their names, and gone with their message', async () => {
  const api = await start();
  const chat = await chatOf(api, 'alice', { path: 'plans/a.chat' });
  await api.call('alice', 'POST', `${chat.path}/people`, { body: { actor: 'person:bob' } });
  const attachments = [
    { name: 'x.html', content: Buffer.from('<script>alert(1)</script>').toString('base64') },
    { name: 'dot.png', content: png().toString('base64') },
  ];
  const { body: said } = await api.call('alice', 'POST', chat.path, { body: { content: 'Look', attachments } });
  const outside = { content: 'Look', attachments: [{ ...attachments[0], name: '../../x.html' }] };
  expect((await api.call('alice', 'POST', chat.path, { body: outside })).status).toBe(422);
  const files = `/workspaces/${chat.workspace}/files`;
  const { body: listed } = await api.call('bob', 'GET', files);
  expect(listed.items.slice(0, 3)).toMatchObject([
    {
      path: 'plans/a.files/dot.png',
      is_virtual: false,
      kind: 'attachment',
      media_type: 'image/png',
      bytes: png().length,
    },
    { path: 'plans/a.files/x.html', is_virtual: false, kind: 'attachment', bytes: 25 },
    { path: 'plans/a.chat', is_virtual: true, kind: 'chat', media_type: null, bytes: null },
  ]);
  const at = (path: string) => `${files}/content?path=${encodeURIComponent(path)}`;
  const page = await api.call('bob', 'GET', at('plans/a.files/x.html'));
  expect([page.status, page.body]).toEqual([200, '<script>alert(1)</script>']);
  // By its content, and never shown as a page of this address.
  expect(page.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(page.headers.get('content-disposition')).toMatch(/^attachment;/);
  const etag = page.headers.get('etag')!;
  const known = await api.call('bob', 'GET', at('plans/a.files/x.html'), { headers: { 'if-none-match': etag } });
  expect([known.status, known.body]).toEqual([304, '']);
  const stranger = await api.call('carol', 'GET', at('plans/a.files/dot.png'));
  const nothing = await api.call('carol', 'GET', at('plans/a.files/nothing.png'));
  expect([stranger.status, nothing.status]).toEqual([404, 404]);
  for (const path of ['plans/a.files/../../x.html', 'plans/a.files/', 'plans/a.files', '../x.html'])
    expect([path, (await api.call('bob', 'GET', at(path))).status]).toEqual([path, 404]);
  await api.call('alice', 'DELETE', `${chat.path}/messages/${said.message_id}`);
  expect((await api.call('bob', 'GET', at('plans/a.files/dot.png'))).status).toBe(404);
  expect((await api.call('bob', 'GET', `/artifacts/${listed.items[0].id}`)).status).toBe(404);
  expect((await api.call('bob', 'GET', `${chat.path}/attachments`)).body.items).toEqual([]);
  const left: { path: string }[] = (await api.call('bob', 'GET', files)).body.items;
  expect(left.filter(({ path }) => path.startsWith('plans/a.files/'))).toEqual([]);
});

test('a conversation of more than 10 MiB is not a file, and is exported as JSON Lines in pieces', async () => {
  const api = await start();
  const chat = await chatOf(api, 'alice');
  const line = JSON.stringify({ role: 'user', content: 'x'.repeat(500_000) });
  const content = Array.from({ length: 22 }, () => line).join('\n');
  const { body: large } = await api.call('alice', 'POST', `/workspaces/${chat.workspace}/imports`, {
    body: { content },
  });
  const files = `/workspaces/${chat.workspace}/files`;
  const { body: listed } = await api.call('alice', 'GET', files);
  const { path } = listed.items.find(({ id }: Json) => id === large.id);
  const at = `/workspaces/${chat.workspace}/chats/${large.id}`;
  const refused = {
    status: 409,
    body: {
      code: 'work.state',
      detail: expect.stringContaining('11000000 bytes; it can be read as a file up to 10485760'),
    },
  };
  expect(await api.call('alice', 'GET', `${files}/content?path=${path}`)).toMatchObject(refused);
  expect(await api.call('alice', 'GET', `${at}/export?format=markdown`)).toMatchObject(refused);
  const exported = await api.call('alice', 'GET', `${at}/export`);
  const lines = exported.body.trimEnd().split('\n');
  expect(lines.map((text: string) => JSON.parse(text).content.length)).toEqual(Array(22).fill(500_000));
  expect(Object.keys(JSON.parse(lines[0]))).not.toContain('at');
});

test.each(['jsonl', 'markdown'])('an export as %s is imported again', async (format) => {
  const api = await start();
  const chat = await chatOf(api, 'alice');
  await api.call('alice', 'POST', chat.path, { body: { content: '## 1 · user · x\n\nWhy?' } });
  await endAnswer(owner(), await beginAnswer(owner(), chat), 'Because.');
  const exported = await api.call('alice', 'GET', `${chat.path}/export?format=${format}`);
  expect(exported.headers.get('content-disposition')).toContain(chat.id);
  const imports = `/workspaces/${chat.workspace}/imports`;
  const imported = await api.call('alice', 'POST', imports, { body: { content: exported.body, title: 'Again' } });
  expect(imported).toMatchObject({ status: 201, body: { messages: 2 } });
  const path = `/workspaces/${chat.workspace}/chats/${imported.body.id}`;
  const { body } = await api.call('alice', 'GET', `${path}/messages`);
  const before = await messagesOf(api, 'alice', chat);
  expect(body.items.map(({ role, content }: { role: string; content: string }) => [role, content])).toEqual(
    before.map(({ role, content }) => [role, content]),
  );
  const refused = await api.call('alice', 'POST', imports, { body: { content: '{"role": "king"}' } });
  expect(refused).toMatchObject({ status: 422, body: { code: 'work.invalid' } });
});
