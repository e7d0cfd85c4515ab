/** What an item has changed in its worktree, by HTTP: only for who may see the item. */
import { expect, test } from 'vitest';
import { testApi } from '../../support/api.ts';
import { diff, handOver } from '../../support/handed-over.ts';
import { createPerson } from '../../support/people.ts';

const { start, owner } = testApi();
const NONE = '00000000-0000-7000-8000-000000000000';

test('the diff file by file, and the patch byte by byte, also in parts and as a file of the item', async () => {
  const api = await start();
  const item = await handOver(owner(), { submittedBy: 'person:alice', rest: { 'x.bin': '\0\u00ff' } });
  const patch = diff(item.repo, item.start, item.rest!);
  const { status, body } = await api.call('alice', 'GET', `/work/${item.id}/diff`);
  expect([status, body]).toEqual([
    200,
    {
      work_item_id: item.id,
      branch: item.branch,
      start: item.start,
      tip: item.tip,
      rest: item.rest,
      files: [
        { path: 'a.txt', added: 1, removed: 1 },
        { path: 'b.txt', added: 1, removed: 0 },
        { path: 'x.bin', added: null, removed: null },
      ],
      more_files: 0,
      patch_bytes: patch.length,
      has_patch: true,
      lost: null,
    },
  ]);
  const authorization = `Bearer ${await api.tokenOf('alice')}`;
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${api.url}/api/v1${path}`, { headers: { authorization, ...headers } });
  const whole = await get(`/work/${item.id}/patch`);
  expect(whole.headers.get('content-disposition')).toBe(`attachment; filename*=UTF-8''changes.patch`);
  expect(Buffer.from(await whole.arrayBuffer()).equals(patch)).toBe(true);
  const part = await get(`/work/${item.id}/patch`, { range: 'bytes=0-9', 'if-range': whole.headers.get('etag')! });
  expect([part.status, await part.text()]).toEqual([206, 'diff --git']);
  const { body: files } = await api.call('alice', 'GET', `/work/${item.id}/artifacts`);
  expect(files.items).toMatchObject([
    { id: item.id, name: 'changes.patch', media_type: 'text/x-diff', bytes: patch.length },
  ]);
  expect(Buffer.from(await (await get(`/artifacts/${item.id}`)).arrayBuffer()).equals(patch)).toBe(true);
  // It is another file once the item has gone on.
  await owner().query(
    `update animus.worktree_results set updated_at = updated_at + interval '1 second' where work_item_id = $1`,
    [item.id],
  );
  expect((await get(`/work/${item.id}/patch`)).headers.get('etag')).not.toBe(whole.headers.get('etag'));
});

test('for others, and where there is none, it looks like no item; a reader sees it, without paths for a submitter', async () => {
  const api = await start();
  await createPerson(owner(), 'rita', 'reader');
  const item = await handOver(owner(), { submittedBy: 'person:alice', unstored: true });
  const [plain] = await owner().query<{ id: string }>(
    `insert into animus.work_items (faculty) values ('x') returning id`,
  );
  for (const path of ['diff', 'patch']) {
    const none = JSON.stringify((await api.call('mallory', 'GET', `/work/${NONE}/${path}`)).body);
    for (const [person, id] of [
      ['mallory', item.id],
      ['rita', plain!.id],
    ] as const) {
      const hidden = await api.call(person, 'GET', `/work/${id}/${path}`);
      expect([hidden.status, JSON.stringify(hidden.body).replaceAll(id, NONE)]).toEqual([404, none]);
    }
  }
  expect((await api.call('rita', 'GET', `/work/${item.id}/diff`)).body).toMatchObject({ files: [], has_patch: false });
  expect((await api.call('rita', 'GET', `/work/${item.id}/patch`)).status).toBe(404);
  expect((await api.call('rita', 'GET', '/status')).body.worktrees).toMatchObject([{ kept: expect.any(Number) }]);
});
