import { expect, test } from 'vitest';
import { type TestApi, testApi } from '../../support/api.ts';
import { beginFocus, recordCalls } from '../../support/begun-focus.ts';
import { createPerson } from '../../support/people.ts';

const { start, owner } = testApi();
const lines = async ({ call }: TestApi, query = '') =>
  ((await call('rita', 'GET', `/audit${query}`)).body as string)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

test('decisions are exported and checked; each names the token', async () => {
  const api = await start();
  await createPerson(owner(), 'rita', 'reader');
  const { body: item } = await api.call('alice', 'POST', '/work', { body: { faculty: 'engineer' } });
  await api.call('alice', 'POST', `/work/${item.id}/cancel`, { body: { reason: 'no' } });
  const { token_id: token } = (await api.call('alice', 'GET', '/me')).body;
  await api.tokenOf('rita');
  const all = await lines(api);
  const cancelled = all.find(({ work_item_id: id }) => id === item.id);
  expect(cancelled).toMatchObject({
    action: 'cancel',
    decided_by: 'person:alice',
    note: 'no',
    token_id: token,
  });
  expect(all.filter(({ decided_by: by }) => !by.startsWith('person:')).map((one) => one.token_id)).toContain(null);
  expect((await lines(api, '?heads=true')).map(({ work_item_id: id }) => id)).toContain(item.id);
  expect(await lines(api, `?since=${encodeURIComponent(all.at(-1).created_at)}`)).toHaveLength(1);
  expect((await api.call('rita', 'GET', '/audit/check')).body).toMatchObject({
    intact: true,
    decisions: all.length,
    faults: [],
  });
  await owner().transaction(async (tx) => {
    await tx.query('set local session_replication_role = replica');
    await tx.query(`update animus.decisions set decided_by = 'mallory' where work_item_id = $1`, [item.id]);
  });
  expect((await api.call('rita', 'GET', '/audit/check')).body).toMatchObject({
    intact: false,
    faults: [{ fault: 'changed', work_item_id: item.id }],
  });
});

test('a refused call says by whom it was refused, in a word of the document', async () => {
  const api = await start();
  await createPerson(owner(), 'rita', 'reader');
  const work = await beginFocus(owner());
  const details = {
    tool: { boundary: 'path' },
    permission: { gate: 'permissions', rule: 'bash' },
    hook: { gate: 'hooks', hook: 'guard' },
    nobody: { gate: 'permissions' },
    engine: {},
  };
  await recordCalls(owner(), work, 1, Object.keys(details), 'bash');
  for (const [call, said] of Object.entries(details)) {
    const state = 'boundary' in said ? 'failed' : 'denied';
    await owner().query(
      `update animus.tool_calls set state = $2, output = '', details = $3, ended_at = animus.now() where call_id = $1 and focus_id = $4`,
      [call, state, said, work.key.focusId],
    );
  }
  const refused = (await lines(api)).filter((line) => line.work_item_id === work.id && line.action === 'refuse');
  expect(Object.fromEntries(refused.map((line) => [line.call_id, line.refused_by]))).toEqual(
    Object.fromEntries(Object.keys(details).map((word) => [word, word])),
  );
});

test('only those who see all work may read it', async () => {
  const { call } = await start();
  for (const path of ['/audit', '/audit/check']) {
    expect(await call('alice', 'GET', path)).toMatchObject({ status: 403, body: { code: 'http.forbidden' } });
  }
  await createPerson(owner(), 'rita', 'reader');
  expect((await call('rita', 'GET', '/audit?heads=true&since=2026-01-01T00:00:00Z')).status).toBe(400);
});

test('a chain of many decisions is read in pages', async () => {
  const api = await start();
  await createPerson(owner(), 'rita', 'reader');
  const before = (await lines(api)).length;
  await owner().query(
    `insert into animus.decisions (target, action, decided_by, created_at) select 'many', 'pause', 'x', now() from generate_series(1, 1200)`,
  );
  expect((await lines(api)).length).toBe(before + 1200);
});
