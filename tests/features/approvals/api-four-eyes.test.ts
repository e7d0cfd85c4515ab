/** Promise: with four eyes, whoever submitted the work approves nothing of it by any door of the API: approve, edit, grant, many at once, MCP. */
import { expect, test } from 'vitest';
import { askPerson } from '../../../src/store/transcript/approvals.ts';
import { connectHttp, use } from '../../http/mcp/mcp-client.ts';
import { ASKS } from '../../store/work/asked-item.ts';
import { testApi } from '../../support/api.ts';
import { beginFocus, recordCalls } from '../../support/begun-focus.ts';
import { createPerson } from '../../support/people.ts';

const { start, owner } = testApi();

test('an operator who submitted it gets 403 everywhere, another one decides, and the first may deny', async () => {
  const api = await start();
  for (const name of ['olga', 'otto']) await createPerson(owner(), name, 'operator');
  const faculty = 'careful';
  const { body: submitted } = await api.call('olga', 'POST', '/work', { body: { faculty, description: 'push it' } });
  const work = await beginFocus(owner(), { id: submitted.id });
  await recordCalls(owner(), work, 1, ['c1', 'c2'], 'bash');
  for (const call of ['c1', 'c2'])
    await askPerson(owner(), work.key, 1, call, 'approval', {
      ...ASKS,
      request: { ...ASKS.request, gate: 'permissions', four_eyes: true },
    });
  const { body } = await api.call('olga', 'GET', `/approvals?work_item_id=${work.id}`);
  const [first, second] = body.items;
  expect(first.request).toMatchObject({ four_eyes: true });
  const path = `/work/${work.id}`;
  const decisions = [
    [`${path}/approve`, { ask_id: first.ask_id }],
    [`${path}/approve`, { ask_id: first.ask_id, input: { command: 'true' } }],
    [`${path}/approve`, { ask_id: first.ask_id, always: { scope: 'faculty', seconds: 60 } }],
    ['/approvals/decide', { ask_ids: [first.ask_id, second.ask_id], action: 'approve', note: 'all' }],
  ] as const;
  for (const [route, given] of decisions) {
    const answer = await api.call('olga', 'POST', route, { body: given });
    expect([route, answer.status, answer.body.detail], JSON.stringify(answer.body)).toEqual([
      route,
      403,
      expect.stringContaining('four eyes'),
    ]);
  }
  const client = await connectHttp(api.url, await api.tokenOf('olga'));
  expect(await use(client, 'approve', { id: work.id, ask_id: first.ask_id, hash: first.hash })).toContain('four eyes');
  expect((await api.call('olga', 'GET', `/approvals?work_item_id=${work.id}`)).body.items).toHaveLength(2);
  expect((await api.call('otto', 'POST', `${path}/approve`, { body: { ask_id: first.ask_id } })).status).toBe(200);
  expect((await api.call('olga', 'POST', `${path}/deny`, { body: { ask_id: second.ask_id, note: 'no' } })).status).toBe(
    200,
  );
});
