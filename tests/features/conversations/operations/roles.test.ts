/** Promise: over HTTP, owners, members and operators may do what the table of docs/conversations.md says, and the others get 403. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type TestApi, testApi } from '../../../support/api.ts';
import { createPerson } from '../../../support/people.ts';
import { chatOf, type HttpChat } from './conversation-driver.ts';

const { start, owner } = testApi();
const PAGE = readFileSync(new URL('../../../../docs/conversations.md', import.meta.url), 'utf8');

interface Act {
  /** Its row in the table of the page. */
  readonly row: string;
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

/** What an owner and an operator may, and a member may not. */
const OWNERS_ACTS: readonly Act[] = [
  { row: 'change faculty, title and `while_answering`', method: 'PATCH', path: '', body: { title: 'theirs' } },
  { row: 'change faculty, title and `while_answering`', method: 'PATCH', path: '', body: { faculty: 'other' } },
  { row: 'change faculty, title and `while_answering`', method: 'PATCH', path: '', body: { while_answering: 'tell' } },
  {
    row: 'invite somebody, make a member an owner',
    method: 'POST',
    path: '/people',
    body: { actor: 'person:carol' },
  },
  {
    row: 'invite somebody, make a member an owner',
    method: 'POST',
    path: '/people',
    body: { actor: 'person:bob', role: 'owner' },
  },
  { row: 'remove a member', method: 'DELETE', path: '/people/person:dan' },
  { row: 'delete the conversation', method: 'DELETE', path: '' },
];

const rowOf = (act: string) =>
  PAGE.split('\n')
    .find((line) => line.startsWith(`| ${act} |`))
    ?.split('|')
    .slice(2, 5)
    .map((cell) => cell.trim());

/** Begun by Ada (or `first`), with the members Bob and Dan, and an operator, Olga, who does not take part. */
async function talkOfThree(first = 'ada'): Promise<{ api: TestApi; chat: HttpChat }> {
  const api = await start();
  await createPerson(owner(), 'olga', 'operator');
  const chat = await chatOf(api, first);
  for (const actor of ['person:bob', 'person:dan'])
    expect((await api.call(first, 'POST', `${chat.path}/people`, { body: { actor } })).status).toBe(200);
  return { api, chat };
}

describe.each(OWNERS_ACTS)('$row: $method $path $body', ({ row, method, path, body }) => {
  test('an owner and an operator may, a member gets 403, a stranger 404; so says the page', async () => {
    expect(rowOf(row)?.map((cell) => cell === 'yes')).toEqual([true, false, true]);
    for (const [person, status] of [
      ['bob', 403],
      ['eve', 404],
      ['ada', 200],
      ['olga', 200],
    ] as const) {
      const { api, chat } = await talkOfThree();
      const answer = await api.call(person, method, `${chat.path}${path}`, body && { body });
      expect([person, answer.status], JSON.stringify(answer.body)).toEqual([person, status]);
      if (status === 403) expect(answer.body.code).toBe('http.forbidden');
      const still = await api.call('olga', 'GET', chat.path);
      if (status !== 200)
        expect(still.body).toMatchObject({
          title: '',
          owners: ['person:ada'],
          people: ['person:ada', 'person:bob', 'person:dan'],
        });
    }
  });
});

test('there are several owners, never none; no owner is removed by another, and whoever leaves can delete their workspace', async () => {
  const { api, chat } = await talkOfThree('amy');
  const people = `${chat.path}/people`;
  const removing = (person: string, actor: string) => api.call(person, 'DELETE', `${people}/person:${actor}`);
  const giving = (person: string, actor: string, role: string) =>
    api.call(person, 'POST', people, { body: { actor: `person:${actor}`, role } });
  const only = { status: 409, body: { code: 'work.state' } };
  expect(await removing('amy', 'amy')).toMatchObject(only);
  expect(await giving('amy', 'amy', 'member')).toMatchObject(only);
  expect(await removing('olga', 'amy')).toMatchObject(only);
  expect(await giving('amy', 'bob', 'owner')).toMatchObject({ status: 200, body: { changed: true } });
  expect((await api.call('dan', 'GET', chat.path)).body.owners).toEqual(['person:amy', 'person:bob']);
  expect((await removing('bob', 'amy')).status).toBe(403);
  expect((await giving('bob', 'amy', 'member')).status).toBe(403);
  expect((await giving('amy', 'bob', 'boss')).status).toBe(400);
  expect((await removing('dan', 'dan')).status).toBe(200);
  // She gives it away: her workspace says why it stays, and an operator is her way back.
  expect((await removing('amy', 'amy')).status).toBe(200);
  const workspace = `/workspaces/${chat.workspace}`;
  const kept = await api.call('amy', 'DELETE', workspace);
  expect(kept).toMatchObject({ status: 409, body: { detail: expect.stringContaining('you do not take part in 1') } });
  expect(await giving('olga', 'amy', 'owner')).toMatchObject({ status: 200 });
  expect((await api.call('amy', 'DELETE', chat.path)).status).toBe(200);
  await owner().query(`delete from animus.files where id = $1`, [chat.id]);
  expect((await api.call('amy', 'DELETE', workspace)).status).toBe(200);
});

test('inviting somebody who does not exist yet says so, once they do it does not', async () => {
  const { api, chat } = await talkOfThree();
  const invite = async (actor: string) =>
    (await api.call('ada', 'POST', `${chat.path}/people`, { body: { actor } })).body;
  expect(await invite('person:crol')).toEqual({
    changed: true,
    warning: 'nobody has used animus as person:crol yet: the first person with this name will take part',
  });
  await chatOf(api, 'crol');
  expect(await invite('person:crol')).toEqual({ changed: false });
});

test('who is invited while an answer is given may stop it, and learns no more of its work', async () => {
  const api = await start();
  const chat = await chatOf(api, 'ada');
  const { body: said } = await api.call('ada', 'POST', chat.path, { body: { content: 'Count' } });
  const work = `/work/${said.work_item_id}`;
  const stop = () => api.call('bob', 'POST', `${work}/cancel`, { body: {} });
  expect((await stop()).status).toBe(404);
  await api.call('ada', 'POST', `${chat.path}/people`, { body: { actor: 'person:bob' } });
  expect((await api.call('bob', 'GET', work)).status).toBe(404);
  expect(await stop()).toMatchObject({ status: 200, body: { state: 'cancelled' } });
  expect((await api.call('bob', 'GET', work)).status).toBe(404);
  // It has ended, and is work that Bob does not read.
  expect((await stop()).status).toBe(404);
  const { body: item } = await api.call('ada', 'GET', work);
  expect(item.error).toMatchObject({ message: 'cancelled by person:bob' });
});

test('who sees a workspace and may not begin conversations in it is told who may', async () => {
  const api = await start();
  const chat = await chatOf(api, 'ada');
  const begin = (person = 'bob') =>
    api.call(person, 'POST', `/workspaces/${chat.workspace}/chats`, { body: { title: 'Mine' } });
  expect((await begin('eve')).status).toBe(404);
  await api.call('ada', 'POST', `${chat.path}/people`, { body: { actor: 'person:bob' } });
  const answer = await begin();
  expect(answer.status).toBe(403);
  expect(JSON.stringify(answer.body)).toContain(
    'only its owner, and operators, may change it or begin conversations in it',
  );
});
