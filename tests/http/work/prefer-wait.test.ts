/** `Prefer: wait=SECONDS`: one request submits work and gets its outcome, if it ends in time. */
import { expect, test } from 'vitest';
import { cancelWork } from '../../../src/store/work/operate.ts';
import type { NewWork } from '../../../src/store/work/submit-work.ts';
import { completeWork } from '../../../src/store/work/work.ts';
import { chatOf } from '../../features/conversations/operations/conversation-driver.ts';
import { beginAnswer, endAnswer } from '../../store/conversations/begun.ts';
import { type TestApi, testApi } from '../../support/api.ts';
import { beginFocus } from '../../support/begun-focus.ts';
import { registerCodeDaemon } from '../../support/code-daemon.ts';
import { eventually } from '../../support/eventually.ts';
import { createToken } from '../../support/people.ts';
import { WAITING_ITEMS } from '../../support/waiting-items.ts';

const { start, owner } = testApi();

const submit = (api: TestApi, faculty: string, prefer: string, more: object = {}, headers: object = {}) =>
  api.call('alice', 'POST', '/work', { body: { faculty, ...more }, headers: { prefer, ...headers } });

/** The item of a faculty that is queued, once there is one. */
const queued = (faculty: string) =>
  eventually(`work of ${faculty}`, async () => {
    const [row] = await owner().query<{ id: string }>(
      `select id from animus.work_items where faculty = $1 and state = 'queued'`,
      [faculty],
    );
    return row?.id ?? null;
  });

async function complete(id: string): Promise<void> {
  await completeWork(owner(), await beginFocus(owner(), { id }), { text: 'The answer' }, 'done');
}

test('the answer has the item as soon as it has ended, and is that of a repetition, too', async () => {
  const api = await start();
  const key = { 'idempotency-key': 'wait-1' };
  const asked = submit(api, 'prompt', 'respond-async, wait=50', {}, key);
  const id = await queued('prompt');
  await complete(id);
  const answer = await asked;
  expect(answer).toMatchObject({ status: 200, body: { id, state: 'completed', item: { id, state: 'completed' } } });
  expect(answer.body.item.outcome).toEqual({ text: 'The answer' });
  expect(answer.body.item).toEqual((await api.call('alice', 'GET', `/work/${id}`)).body);
  expect(answer.headers.get('location')).toBe(`/api/v1/work/${id}`);
  expect(answer.headers.get('preference-applied')).toBe('wait=50');
  const again = await submit(api, 'prompt', 'wait=50', {}, key);
  expect([again.status, again.body]).toEqual([200, answer.body]);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
});

test('after that time it is 202 with the place of the item, and no longer than a minute is promised', async () => {
  const api = await start();
  for (const seconds of [0, 1]) {
    const answer = await submit(api, 'slow', `wait=${seconds}`);
    expect(answer).toMatchObject({ status: 202, body: { state: 'queued', merged_into: null } });
    expect(answer.body.item).toBeUndefined();
    expect(answer.headers.get('location')).toBe(`/api/v1/work/${answer.body.id}`);
    expect(answer.headers.get('preference-applied')).toBe(`wait=${seconds}`);
  }
  const asked = submit(api, 'long', 'WAIT="3600"; why=not');
  await complete(await queued('long'));
  expect((await asked).headers.get('preference-applied')).toBe('wait=60');
});

test('what is not understood is ignored, and so is the wait of a token that may not read', async () => {
  const api = await start();
  for (const prefer of ['wait', 'wait=-1', 'wait=soon', 'return=minimal', '']) {
    const answer = await submit(api, 'plain', prefer);
    expect([prefer, answer.status, answer.headers.get('preference-applied')]).toEqual([prefer, 201, null]);
  }
  const { secret } = await createToken(owner(), 'alice', { scopes: ['work'] });
  const headers = { authorization: `Bearer ${secret}`, prefer: 'wait=50' };
  const answer = await api.call(null, 'POST', '/work', { body: { faculty: 'plain' }, headers });
  expect([answer.status, answer.headers.get('preference-applied')]).toEqual([201, null]);
});

test('those who wait hold no connection to the database, and the end of the server ends their wait', async () => {
  const api = await start();
  // The gateway of the tests has four connections.
  const waiting = Array.from({ length: 12 }, () => submit(api, 'crowd', 'wait=60'));
  await eventually('all are submitted', async () => {
    const rows = await owner().query(`select from animus.work_items where faculty = 'crowd'`);
    return rows.length === 12 ? rows : null;
  });
  expect((await api.call('alice', 'GET', '/work?faculty=crowd')).body.items).toHaveLength(12);
  const [one] = await owner().query<{ id: string }>(`select id from animus.work_items where faculty = 'crowd' limit 1`);
  await cancelWork(owner(), one!.id, 'enough');
  expect(await Promise.race(waiting)).toMatchObject({ status: 200, body: { item: { state: 'cancelled' } } });
  await api.stop();
  const statuses = (await Promise.all(waiting)).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([200, ...Array(11).fill(202)]);
});

test('a message and an execution are awaited, and so is the item that a new one was merged into', async () => {
  const api = await start();
  const chat = await chatOf(api, 'alice');
  const said = api.call('alice', 'POST', chat.path, { body: { content: 'Why?' }, headers: { prefer: 'wait=50' } });
  await queued(chat.faculty);
  await endAnswer(owner(), await beginAnswer(owner(), chat), 'Because.');
  expect(await said).toMatchObject({ status: 200, body: { told: false, item: { outcome: { text: 'Because.' } } } });
  await registerCodeDaemon(owner());
  const headers = { prefer: 'wait=50' };
  const ran = api.call('alice', 'POST', '/sandbox/executions', { body: { code: 'return 6 * 7' }, headers });
  await complete(await queued('sandbox'));
  expect(await ran).toMatchObject({ status: 200, body: { item: { state: 'completed' } } });
  const { body: first } = await submit(api, 'twice', '', { dedup_key: 'k' });
  const second = submit(api, 'twice', 'wait=50', { dedup_key: 'k' });
  await eventually('the second is merged', async () => {
    const rows = await owner().query('select from animus.work_items where merged_into = $1', [first.id]);
    return rows.length > 0 ? rows : null;
  });
  await complete(first.id);
  expect(await second).toMatchObject({ status: 200, body: { item: { id: first.id, state: 'completed' } } });
});

/** One of these holds its request to the end otherwise, and no test lasts a minute. */
test.each(['approval', 'question', 'budget'] as const)(
  'work that waits for a person (%s) is answered at once, and says why',
  async (reason) => {
    const api = await start();
    const means = {
      db: owner(),
      submit: async ({ faculty }: NewWork) => {
        asked = submit(api, faculty, 'wait=60');
        return queued(faculty);
      },
      say: () => Promise.reject(new Error('no conversation')),
    };
    let asked: ReturnType<typeof submit> | null = null;
    const id = await WAITING_ITEMS[reason](means);
    const answer = await asked!;
    expect(answer).toMatchObject({ status: 202, body: { id, state: 'waiting', waiting: { reason, who: 'operator' } } });
    expect(answer.headers.get('preference-applied')).toBe('wait=60');
  },
);

test('a request that submits work for which nothing is ready says so at once', async () => {
  const api = await start();
  await registerCodeDaemon(owner(), { faculty: 'other' });
  const { body } = await api.call('alice', 'POST', '/work', { body: { faculty: 'othr' } });
  expect(body).toMatchObject({
    warning: 'no running daemon serves othr (did you mean other?); the work waits until one does',
    waiting: { reason: 'unserved', ends: 'a daemon serves othr', who: null, work_items: [] },
  });
  const chat = await chatOf(api, 'alice');
  const said = await api.call('alice', 'POST', chat.path, { body: { content: 'Hello?' } });
  expect(said.body).toMatchObject({ waiting: { reason: 'unserved' } });
});
