/** Promise: a time that only SQL can write does not make what contains it unreadable for everybody who sees it. */
import { expect, test } from 'vitest';
import { testApi } from '../../support/api.ts';
import { readEventStream } from '../../support/event-reader.ts';
import { createPerson } from '../../support/people.ts';
import { chatOf } from '../chats/chat-driver.ts';

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
