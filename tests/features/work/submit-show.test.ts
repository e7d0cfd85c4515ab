import { expect, test } from 'vitest';
import { testApi } from '../../support/api.ts';

const { start, owner } = testApi();

test('a person submits work and sees it', async () => {
  const { call } = await start();
  const body = {
    faculty: 'engineer',
    description: 'Fix it',
    params: { pull_request: 17 },
    priority: 3,
    run_at: '2099-01-01T00:00:00+01:00',
    trigger_info: ['push'],
  };
  const submitted = await call('alice', 'POST', '/work', { body });
  expect(submitted).toMatchObject({ status: 201, body: { state: 'scheduled', merged_into: null } });
  const shown = await call('alice', 'GET', `/work/${submitted.body.id}`);
  expect(shown.status).toBe(200);
  expect(shown.body).toMatchObject({ ...body, run_at: '2098-12-31T23:00:00.000Z', source: 'http', state: 'scheduled' });
  expect(shown.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  expect(shown.headers.get('cache-control')).toBe('no-store');
});

test('child work is submitted detached, and goes on when its parent is cancelled', async () => {
  const { call } = await start();
  const submit = async (body: object) =>
    (await call('alice', 'POST', '/work', { body: { faculty: 'engineer', ...body } })).body.id;
  const parent = await submit({});
  const children = [
    await submit({ parent_id: parent, detached: true }),
    await submit({ parent_id: parent, detached: true, batch: false }),
    await submit({ parent_id: parent, detached: false }),
    await submit({ parent_id: parent }),
  ];
  await call('alice', 'POST', `/work/${parent}/cancel`);
  const shown = await Promise.all(children.map((id) => call('alice', 'GET', `/work/${id}`)));
  expect(shown.map(({ body: { detached, batch, state } }) => ({ detached, batch, state }))).toEqual([
    { detached: true, batch: null, state: 'queued' },
    { detached: true, batch: false, state: 'queued' },
    { detached: false, batch: null, state: 'cancelled' },
    { detached: false, batch: null, state: 'cancelled' },
  ]);
});

test('what another person submitted is not there, word for word', async () => {
  const { call } = await start();
  const { body } = await call('alice', 'POST', '/work', { body: { faculty: 'engineer' } });
  const none = '01900000-0000-7000-8000-000000000000';
  const [hidden, absent] = [
    await call('mallory', 'GET', `/work/${body.id}`),
    await call('mallory', 'GET', `/work/${none}`),
  ];
  expect(absent).toMatchObject({ status: 404, body: { code: 'work.not_found', status: 404 } });
  expect(absent.headers.get('content-type')).toBe('application/problem+json');
  expect(JSON.stringify(hidden.body).replace(body.id, none)).toBe(JSON.stringify(absent.body));
});

test('files come with it', async () => {
  const { call } = await start();
  const content = Buffer.from('a,b\n1,2\n').toString('base64');
  const { body } = await call('alice', 'POST', '/work', {
    body: { faculty: 'accountant', attachments: [{ name: 'table.csv', content }] },
  });
  const shown = await call('alice', 'GET', `/work/${body.id}`);
  expect(shown.body.params.attachments).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  const bad = await call('alice', 'POST', '/work', {
    body: { faculty: 'accountant', attachments: [{ name: 'x', content: 'not base64!' }] },
  });
  expect(bad).toMatchObject({ status: 400, body: { code: 'http.invalid' } });
});

test('the trace of the client becomes that of the work', async () => {
  const { call } = await start();
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const { body } = await call('alice', 'POST', '/work', { body: { faculty: 'engineer' }, headers: { traceparent } });
  const [row] = await owner().query('select trace_context from animus.work_items where id = $1', [body.id]);
  expect(row).toEqual({ trace_context: traceparent });
});

test.each([
  [{ faculty: 'No Such' }, 400, 'body.faculty'],
  [{ faculty: 'a', colour: 'red' }, 400, 'colour'],
  [{ faculty: 'a', priority: 2 ** 31 }, 400, 'body.priority'],
  [{ faculty: 'a', run_at: 'tomorrow' }, 400, 'body.run_at'],
  [{ faculty: 'a', skill: '' }, 422, 'skill'],
  [{ faculty: 'a', parent_id: '01900000-0000-7000-8000-000000000000' }, 404, 'parent'],
])('refuses %j', async (body, status, word) => {
  const { call } = await start();
  const answer = await call('alice', 'POST', '/work', { body });
  expect(answer).toMatchObject({ status, body: { detail: expect.stringContaining(word) } });
});

test('the largest files that the database takes arrive', async () => {
  const { call } = await start();
  const content = Buffer.alloc(10 * 1024 * 1024, 'x').toString('base64');
  const attachments = ['a.txt', 'b.txt'].map((name) => ({ name, content }));
  const { status, body } = await call('alice', 'POST', '/work', { body: { faculty: 'accountant', attachments } });
  expect([status, body.state]).toEqual([201, 'queued']);
  const escaped = await call('alice', 'POST', '/work', { body: { faculty: 'a', description: '\n'.repeat(300_000) } });
  expect([201, 422]).toContain(escaped.status);
});
