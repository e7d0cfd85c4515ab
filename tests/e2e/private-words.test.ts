/** Promise: what one person says, does and keeps in private is in no context, event, export or memory that another person may read, also after an invitation. */
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import type { Database } from '../../src/store/sql/database.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { makeSite, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { readEventStream } from '../support/event-reader.ts';
import { eventually } from '../support/eventually.ts';
import { type AnthropicProgramme, text, toolUse } from '../support/model-server/anthropic.ts';
import { MODEL, messagesOf, startModelServer } from '../support/model-server/either-wire.ts';
import { createLogin, dropLogins } from '../support/role-login.ts';

const pg = testDatabase();
const logins: string[] = [];
let gateway: Database;
beforeAll(async () => {
  gateway = openPostgres(await createLogin(pg.connectionString, 'animus_gateway', logins));
});
afterAll(async () => {
  await gateway.close();
  await dropLogins(logins);
});

const FACULTY = `
[faculty]
name = "talker"
isolation = "directory"
[faculty.engage]
model = "${MODEL}"
system_prompt = "You talk."
tools = ["memory_search", "memory_store", "read_file", "list_dir"]
`;

/** What Bob keeps for himself, by where it comes from. The words are found nowhere else. */
const SECRETS = ['SECRETWORDS', 'SECRETPARAMS', 'SECRETFINDING', 'SECRETMEMORY', 'SECRETOUTCOME'] as const;

/** With `look around` in the conversation it looks for secrets everywhere, and says only that it did; otherwise it keeps some. */
const programme: AnthropicProgramme = (body) => {
  const messages = messagesOf(body);
  const isPrivate = !JSON.stringify(messages).includes('look around');
  if (messages.at(-1)!.content.some(({ type }) => type === 'tool_result')) {
    return { content: [text(isPrivate ? 'SECRETOUTCOME' : 'I have looked.')] };
  }
  if (isPrivate) {
    return {
      content: [
        toolUse('m1', 'memory_store', { layer: 'global', content: 'the colour is SECRETMEMORY' }),
        toolUse('m2', 'ledger_append', { type: 'finding', content: 'found SECRETFINDING' }),
      ],
    };
  }
  return {
    content: [
      toolUse('l1', 'memory_search', { query: 'the colour' }),
      toolUse('l2', 'refresh_awareness', {}),
      toolUse('l3', 'list_dir', { path: 'chats' }),
      toolUse('l4', 'read_file', { path: 'chats/diary.chat' }),
    ],
  };
};

const found = (text: string) => SECRETS.filter((secret) => text.includes(secret));

it('a secret of one person stays out of everything that another may read', { timeout: 120_000 }, async () => {
  const server = await startModelServer(programme);
  onTestFinished(() => server.close());
  const site = makeSite({
    modelUrl: server.url,
    databaseUrl: pg.connectionString,
    config: '[daemon]\npoll_seconds = 0.1\n',
    faculties: { talker: FACULTY },
  });
  const daemon = await startDaemon(site);
  const api = await startApi(pg.database, { db: gateway });
  const { body: workspace } = await api.call('bob', 'POST', '/workspaces', { body: { name: 'default' } });
  const begin = async (path: string) => {
    const begun = await api.call('bob', 'POST', `/workspaces/${workspace.id}/chats`, {
      body: { faculty: 'talker', path },
    });
    return `/workspaces/${workspace.id}/chats/${begun.body.id}`;
  };
  const ask = async (person: string, path: string, content: string) => {
    const said = await api.call(person, 'POST', path, { body: { content } });
    expect(said.status, JSON.stringify(said.body)).toBe(202);
    await ended(api, person, said.body.work_item_id);
    return said.body.work_item_id as string;
  };

  const diary = await begin('chats/diary.chat');
  const kept = await ask('bob', diary, 'keep it private: SECRETWORDS');
  const { body: work } = await api.call('bob', 'POST', '/work', {
    body: { faculty: 'talker', description: 'keep this private', params: { note: 'SECRETPARAMS' } },
  });
  await ended(api, 'bob', work.id);

  const ours = await begin('chats/ours.chat');
  const alone = await ask('bob', ours, 'look around while I am alone');
  const requestOf = (words: string) =>
    JSON.stringify(server.requests.findLast(({ json }) => JSON.stringify(json).includes(words))!.json);
  // Bob's own work finds what is his.
  expect(found(requestOf('while I am alone'))).toEqual(
    expect.arrayContaining(['SECRETMEMORY', 'SECRETFINDING', 'SECRETOUTCOME', 'SECRETWORDS']),
  );

  const invited = await api.call('bob', 'POST', `${ours}/people`, { body: { actor: 'person:alice' } });
  expect(invited.status, JSON.stringify(invited.body)).toBe(200);
  const together = await ask('bob', ours, 'look around with both of us');
  const asked = await ask('alice', ours, 'look around for me');

  // What the model is given for a context that both read.
  for (const words of ['with both of us', 'look around for me']) expect(found(requestOf(words)), words).toEqual([]);
  // What Alice gets, wherever she looks.
  const seen: Record<string, readonly string[]> = {};
  const look = async (path: string) => {
    const answer = await api.call('alice', 'GET', path);
    seen[path.replaceAll(/[0-9a-f-]{36}/g, '…')] = found(JSON.stringify(answer.body));
    return answer;
  };
  for (const id of [kept, work.id, alone, together, asked]) {
    for (const part of [
      '',
      '/context',
      '/turns',
      '/tool-calls',
      '/ledger',
      '/messages',
      '/foci',
      '/waits',
      '/budget',
    ]) {
      const answer = await look(`/work/${id}${part}`);
      if (id === together || id === asked) expect(answer.status, part).toBe(200);
      else
        expect(answer.status === 200 ? answer.body : answer.status, part).toEqual(
          answer.status === 200 ? expect.objectContaining({ items: [] }) : 404,
        );
    }
  }
  for (const path of [
    '/work',
    '/memories?q=colour',
    '/memories',
    '/spend',
    `${ours}/messages`,
    `${ours}/export`,
    ours,
    `/workspaces/${workspace.id}/files`,
  ])
    await look(path);
  await look(`/workspaces/${workspace.id}/files/content?path=chats/ours.chat`);
  await look(`/workspaces/${workspace.id}/files/content?path=chats/diary.chat`);
  expect(Object.entries(seen).filter(([, secrets]) => secrets.length > 0)).toEqual([]);

  const streamOf = async (person: string) => {
    const headers = { authorization: `Bearer ${await api.tokenOf(person)}` };
    const reader = await readEventStream(`${api.url}/api/v1${ours}/events`, { headers });
    await reader.until(({ type, data }) => type === 'answered' && data['work_item_id'] === asked);
    await reader.leave();
    return reader.events;
  };
  // The two of them read it at the same time, and see different answers.
  const [hers, his] = await Promise.all([streamOf('alice'), streamOf('bob')]);
  expect(found(JSON.stringify(hers))).toEqual([]);
  expect(found(JSON.stringify(his))).toEqual(expect.arrayContaining(['SECRETMEMORY']));
  // She has all words, and the work since she was invited.
  expect(hers.filter(({ type }) => type === 'said').map(({ data }) => data['text'])).toEqual([
    'look around while I am alone',
    'look around with both of us',
    'look around for me',
  ]);
  const itemsOf = (events: typeof hers) =>
    new Set(events.filter(({ type }) => type === 'turn').map(({ data }) => data['work_item_id']));
  expect(itemsOf(hers)).toEqual(new Set([together, asked]));
  expect(itemsOf(his)).toEqual(new Set([alone, together, asked]));
  await daemon.kill('SIGTERM');
});

async function ended(api: TestApi, person: string, id: string): Promise<void> {
  await eventually(`the end of ${id}`, async () => {
    const { body } = await api.call(person, 'GET', `/work/${id}`);
    if (body.state === 'dead') throw new Error(JSON.stringify(body.error));
    return body.state === 'completed' ? true : null;
  });
}
