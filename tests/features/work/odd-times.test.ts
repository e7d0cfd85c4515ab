/** Promise: a time that only SQL can write does not make what contains it unreadable for everybody who sees it. */
import { expect, test } from 'vitest';
import { testApi } from '../../support/api.ts';
import { readEventStream } from '../../support/event-reader.ts';
import { createPerson } from '../../support/people.ts';
import { chatOf } from '../conversations/operations/conversation-driver.ts';

const { start, owner } = testApi();

test('work that begins never, or in the year 290000, is listed, shown and streamed', async () => {
  const api = await start();
  await createPerson(owner(), 'olga', 'operator');
  for (const at of ['infinity', '290000-01-01Z']) {
    const [item] = await owner().query<{ id: string }>(
      `insert into animus.own_work (faculty, run_at) values ('odd', $1) returning id`,
      [at],
    );
    const shown = await api.call('olga', 'GET', `/work/${item!.id}`);
    expect([shown.status, shown.body.run_at]).toEqual([200, '9999-12-31T23:59:59.999Z']);
    const reader = await readEventStream(`${api.url}/api/v1/work/${item!.id}/events`, {
      headers: { authorization: `Bearer ${await api.tokenOf('olga')}` },
    });
    await reader.until(({ type }) => type === 'state');
    await reader.leave();
  }
  expect((await api.call('olga', 'GET', '/work?state=scheduled')).body.items).toHaveLength(2);
});

test('a time without its zone is refused with an example of one', async () => {
  const api = await start();
  const detail = 'expected an ISO 8601 time with its zone, such as 2026-03-01T09:00:00Z';
  const submitted = await api.call('alice', 'POST', '/work', { body: { faculty: 'odd', run_at: '2026-03-01 09:00' } });
  expect([submitted.status, submitted.body.detail]).toEqual([400, `the request is not valid: body.run_at: ${detail}`]);
});

test('what is too large is refused with what it is, and then the name of the rule', async () => {
  const api = await start();
  const description = 'x'.repeat(1_048_577);
  const submitted = await api.call('alice', 'POST', '/work', { body: { faculty: 'odd', description } });
  expect(submitted.body.detail).toMatch(/^description has 1048577 bytes; .*\(check constraint "\w+" of work items\)$/s);
});

test.each(['infinity', '-infinity', '20000-01-01', '0044-03-15 BC'])(
  'a message of the time %s is not imported',
  async (at) => {
    const api = await start();
    const chat = await chatOf(api, 'alice');
    const content = JSON.stringify({ role: 'user', content: 'x', created_at: at });
    const imported = await api.call('alice', 'POST', `/workspaces/${chat.workspace}/imports`, { body: { content } });
    expect([imported.status, imported.body.code]).toEqual([422, 'work.invalid']);
  },
);
