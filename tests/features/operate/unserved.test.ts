/** What is asked of a faculty that no daemon serves is accepted with a warning: the name may be misspelt. */
import { beforeAll, expect, test } from 'vitest';
import { registerDaemon } from '../../../src/store/work/daemons.ts';
import { connectHttp, use } from '../../http/mcp/mcp-client.ts';
import { testApi } from '../../support/api.ts';
import { createPerson } from '../../support/people.ts';

const { start, owner } = testApi();
const SLIP = 'no running daemon serves enginer (did you mean engineer?); ';

beforeAll(async () => {
  await createPerson(owner(), 'olga', 'operator');
  const engineer = { max: 4, max_attempts: 1, dedup_until: 'resolved' as const };
  await registerDaemon(owner(), {
    id: '01900000-0000-7000-8000-000000000001',
    host: 'here',
    pid: 1,
    version: '1',
    maxConcurrent: 4,
    faculties: { engineer },
    problems: [],
  });
});

test('work is accepted, and the warning is repeated with the answer', async () => {
  const { call } = await start();
  const submit = (faculty: string) =>
    call('alice', 'POST', '/work', { body: { faculty }, headers: { 'idempotency-key': `submit-${faculty}` } });
  expect((await submit('engineer')).body).toEqual({
    id: expect.anything(),
    state: 'queued',
    merged_into: null,
    waiting: null,
  });
  const slip = await submit('enginer');
  expect(slip).toMatchObject({ status: 201, body: { warning: `${SLIP}the work waits until one does` } });
  expect((await submit('enginer')).body).toEqual(slip.body);
  expect((await call('alice', 'GET', `/work/${slip.body.id}`)).body.state).toBe('queued');
  expect((await submit('quite-different')).body.warning).toBe(
    'no running daemon serves quite-different; the work waits until one does',
  );
});

test.each([
  ['POST', '/schedules', { name: 'nightly', cron: '0 3 * * *' }, 'its work waits until one does'],
  ['POST', '/pauses', {}, 'the pause stops nothing until one does'],
])('%s %s', async (method, path, body, until) => {
  const { call } = await start();
  const ask = (faculty: string, more: object = {}) =>
    call('olga', method, path, { body: { ...body, faculty, ...more } });
  expect((await ask('enginer')).body).toMatchObject({ warning: SLIP + until });
  expect((await ask('engineer', 'name' in body ? { name: 'daily' } : {})).body).not.toHaveProperty('warning');
});

test('limits of faculties, and not of items', async () => {
  const { call } = await start();
  const limit = (body: object) => call('olga', 'PUT', '/budgets', { body: { unit: 'usd', amount: 5, ...body } });
  const until = `${SLIP}the limit applies to nothing until one does`;
  expect((await limit({ scope: 'faculty', subject: 'enginer', period: 'day' })).body.warning).toBe(until);
  expect((await limit({ scope: 'root', subject: 'enginer' })).body.warning).toBe(until);
  expect((await limit({ scope: 'faculty', subject: 'engineer', period: 'day' })).body).not.toHaveProperty('warning');
  const { id } = (await call('olga', 'POST', '/work', { body: { faculty: 'engineer' } })).body;
  expect((await limit({ scope: 'item', subject: id })).body).not.toHaveProperty('warning');
  expect((await limit({ scope: 'appliance', period: 'day' })).body).not.toHaveProperty('warning');
});

test('conversations, when they begin and when their faculty is changed', async () => {
  const { call } = await start();
  const { id } = (await call('alice', 'POST', '/workspaces', { body: { name: 'default' } })).body;
  const until = `${SLIP}messages wait until one does`;
  const chat = (await call('alice', 'POST', `/workspaces/${id}/chats`, { body: { faculty: 'enginer' } })).body;
  expect(chat.warning).toBe(until);
  const change = (body: object) => call('alice', 'PATCH', `/workspaces/${id}/chats/${chat.id}`, { body });
  expect((await change({ title: 'Sales' })).body).not.toHaveProperty('warning');
  expect((await change({ faculty: 'engineer' })).body).not.toHaveProperty('warning');
  expect((await change({ faculty: 'enginer' })).body.warning).toBe(until);
});

test('webhooks that are about certain faculties', async () => {
  const { call } = await start();
  const add = (faculties?: string[]) =>
    call('alice', 'POST', '/webhooks', { body: { url: 'https://example.com/', ...(faculties && { faculties }) } });
  expect((await add(['engineer', 'enginer'])).body.warning).toBe(`${SLIP}nothing is sent of it until one does`);
  expect((await add()).body).not.toHaveProperty('warning');
});

test('the MCP tool that submits work', async () => {
  const api = await start();
  const client = await connectHttp(api.url, await api.tokenOf('alice'));
  const { id, warning } = await use(client, 'submit_work', { faculty: 'enginer' });
  expect([id, warning]).toEqual([expect.any(String), `${SLIP}the work waits until one does`]);
});
