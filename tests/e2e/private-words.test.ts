/** Promise: what one person says, does and keeps in private is nowhere that another may read, also after an invitation. Prints the table source × place. */
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import type { Database } from '../../src/store/sql/database.ts';
import { webhookReceiver } from '../features/webhooks/fixtures.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { configOf } from '../support/config-of.ts';
import { makeSite, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { readEventStream } from '../support/event-reader.ts';
import { eventually } from '../support/eventually.ts';
import { startModelServer } from '../support/model-server/either-wire.ts';
import { startOtlpReceiver } from '../support/otlp-receiver.ts';
import { createLogin, dropLogins } from '../support/role-login.ts';
import { found, HELPER, programme, SECRETS, TALKER } from './private-programme.ts';
import { eachVisibleRow } from './visible-rows.ts';

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

const KEY = 'k'.repeat(64);

it('a secret of one person stays out of everything that another may read', { timeout: 240_000 }, async () => {
  const server = await startModelServer(programme);
  onTestFinished(() => server.close());
  const collector = await startOtlpReceiver();
  onTestFinished(() => collector.close());
  const receiver = await webhookReceiver();
  const site = makeSite({
    modelUrl: server.url,
    databaseUrl: pg.connectionString,
    config: `[daemon]\npoll_seconds = 0.1\n[webhooks]\nallow = ["127.0.0.1:${receiver.port}"]\n`,
    faculties: { talker: TALKER, helper: HELPER },
  });
  const daemon = await startDaemon(site, [], {
    ANIMUS_WEBHOOK_KEY: KEY,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  });
  const api = await startApi(pg.database, { db: gateway, config: configOf({ ANIMUS_WEBHOOK_KEY: KEY }) });
  const hook = { url: receiver.url, events: ['work.queued', 'work.running', 'work.completed'] };
  expect((await api.call('alice', 'POST', '/webhooks', { body: hook })).status).toBe(201);
  const { body: workspace } = await api.call('bob', 'POST', '/workspaces', { body: { name: 'default' } });
  const begin = async (path: string) => {
    const begun = await api.call('bob', 'POST', `/workspaces/${workspace.id}/chats`, {
      body: { faculty: 'talker', path },
    });
    return `/workspaces/${workspace.id}/chats/${begun.body.id}`;
  };
  const ask = async (person: string, path: string, content: string, more = {}) => {
    const said = await api.call(person, 'POST', path, { body: { content, ...more } });
    expect(said.status, JSON.stringify(said.body)).toBe(202);
    await ended(api, person, said.body.work_item_id);
    return said.body.work_item_id as string;
  };

  const diary = await begin('chats/diary.chat');
  const file = { name: 'kept.txt', content: Buffer.from('SECRETFILE').toString('base64') };
  const kept = await ask('bob', diary, 'keep it private: SECRETWORDS', { attachments: [file] });
  const byHand = { content: 'the colour is SECRETBYHAND', layer: 'global' };
  expect((await api.call('bob', 'POST', '/memories', { body: byHand })).status).toBe(201);
  const { body: work } = await api.call('bob', 'POST', '/work', {
    body: {
      faculty: 'talker',
      description: 'keep this private',
      params: { note: 'SECRETPARAMS' },
      run_at: new Date(Date.now() + 3000).toISOString(),
    },
  });
  const steered = await api.call('bob', 'POST', `/work/${work.id}/messages`, { body: { text: 'SECRETSTEERING' } });
  expect(steered.status, JSON.stringify(steered.body)).toBe(202);
  await ended(api, 'bob', work.id);

  const ours = await begin('chats/ours.chat');
  const alone = await ask('bob', ours, 'look around while I am alone');
  await summarised(alone);
  expect((await api.call('bob', 'POST', `${ours}/people`, { body: { actor: 'person:alice' } })).status).toBe(200);
  const together = await ask('bob', ours, 'look around with both of us');
  const asked = await ask('alice', ours, 'look around for me');

  // Where each secret may be read: all of them by Bob, so that the test looks for what is there.
  const requestsWith = (words: string) =>
    server.requests.map(({ json }) => JSON.stringify(json)).filter((request) => request.includes(words));
  const his = [requestsWith('while I am alone'), await eachVisibleRow(gateway, 'bob')];
  expect(found(his)).toEqual(Object.values(SECRETS));
  expect(found(his[0])).toEqual(
    expect.arrayContaining(['SECRETWORDS', 'SECRETFILE', 'SECRETGLOBAL', 'SECRETBYHAND', 'SECRETOUTCOME']),
  );

  const { body: context } = await api.call('bob', 'GET', `/work/${alone}/context`);
  expect(found(context)).toEqual(expect.arrayContaining(['SECRETOUTCOME']));

  // What Alice is given, wherever she looks.
  const seen: Record<string, Set<string>> = {};
  const add = (place: string, value: unknown) => {
    for (const secret of found(value)) (seen[place] ??= new Set()).add(secret);
    seen[place] ??= new Set();
  };
  for (const words of ['with both of us', 'look around for me']) {
    expect(requestsWith(words).length).toBeGreaterThan(0);
    add('request to the model', requestsWith(words));
    // Its orient hook was told who reads what it says.
    expect(requestsWith(words)[0]).toContain(String.raw`\"readers\":[\"person:alice\",\"person:bob\"]`);
  }
  const PARTS = ['', 'context', 'turns', 'tool-calls', 'ledger', 'messages', 'foci', 'waits', 'children', 'artifacts'];
  for (const id of [kept, work.id, alone, together, asked]) {
    for (const part of PARTS) {
      const { status, body } = await api.call('alice', 'GET', `/work/${id}${part && `/${part}`}`);
      add(part === 'context' ? 'context' : 'other parts of work', body);
      const hers = id === together || id === asked;
      expect([part, status === 200 && (hers || body.items?.length !== 0)]).toEqual([part, hers]);
    }
  }
  const files = `/workspaces/${workspace.id}/files`;
  const looks: readonly (readonly [string, string])[] = [
    ['memories', '/memories?query=colour'],
    ['memories', '/memories?query=colour&project=p'],
    ['memories', '/memory-merges'],
    ['skills', '/skills'],
    ['skills', '/skills/private-way'],
    ['skills', '/skills/private-way/versions/1'],
    ['skills', '/skills/private-way/diff'],
    ['lists of work, spend', '/work'],
    ['lists of work, spend', '/spend?since=2020-01-01&by=faculty,model'],
    ['lists of work, spend', '/spend/items?since=2020-01-01'],
    ['lists of work, spend', '/approvals'],
    ['messages, export', `${ours}/messages`],
    ['messages, export', `${ours}/export`],
    ['messages, export', `${ours}/export?format=markdown`],
    ['messages, export', `${diary}/export`],
    ['files', files],
    ['files', `${files}/content?path=chats/ours.chat`],
    ['files', `${files}/content?path=chats/diary.chat`],
    ['files', `${files}/content?path=chats/diary.files/kept.txt`],
  ];
  const wrong: string[] = [];
  for (const [place, path] of looks) {
    const { status, body } = await api.call('alice', 'GET', path);
    if (![200, 403, 404].includes(status)) wrong.push(`${path}: ${status}`);
    add(place, body);
  }
  // Of a request that is wrong, nobody learns anything.
  expect(wrong).toEqual([]);
  const rows = await eachVisibleRow(gateway, 'alice');
  expect(JSON.stringify(rows)).toContain('look around for me');
  add('SQL views of a gateway', rows);

  const streamOf = async (person: string) => {
    const headers = { authorization: `Bearer ${await api.tokenOf(person)}` };
    const reader = await readEventStream(`${api.url}/api/v1${ours}/events`, { headers });
    await reader.until(({ type, data }) => type === 'answered' && data['work_item_id'] === asked);
    await reader.leave();
    return reader.events;
  };
  // The two of them read it at the same time, and see different answers.
  const [hers, bobs] = await Promise.all([streamOf('alice'), streamOf('bob')]);
  add('events', hers);
  expect(found(bobs)).toEqual(expect.arrayContaining(['SECRETGLOBAL']));
  const textsOf = (events: typeof hers) => events.filter(({ type }) => type === 'said').map(({ data }) => data['text']);
  expect(textsOf(hers)).toEqual(textsOf(bobs));
  const itemsOf = (events: typeof hers) =>
    new Set(events.filter(({ type }) => type === 'turn').map(({ data }) => data['work_item_id']));
  expect([itemsOf(hers), itemsOf(bobs)]).toEqual([new Set([together, asked]), new Set([alone, together, asked])]);
  const told = (id: string) => receiver.received.filter(({ body }) => body.includes(id)).length;
  await eventually('the webhooks about her answer', () => (told(asked) === 3 ? true : null));
  add(
    'webhooks',
    receiver.received.map(({ body }) => body),
  );
  expect([told(kept), told(work.id), told(alone)]).toEqual([0, 0, 0]);
  await daemon.kill('SIGTERM');
  expect(collector.spans.length).toBeGreaterThan(0);
  add('spans, logs, metrics', [collector.spans, collector.logs, collector.metrics]);

  const places = Object.keys(seen);
  const cell = (place: string, secret: string) => (seen[place]!.has(secret) ? 'SEEN' : 'no');
  const lines = Object.entries(SECRETS).map(([source, secret]) => [
    source,
    ...places.map((place) => cell(place, secret)),
  ]);
  process.stdout.write(`${[['source', ...places], ...lines].map((line) => `| ${line.join(' | ')} |`).join('\n')}\n`);
  expect(lines.filter((line) => line.includes('SEEN'))).toEqual([]);
});

/** As where the history of an answer became too long: a model has summarised what it had read. */
async function summarised(id: string): Promise<void> {
  const rows = await pg.database.query(
    `insert into animus.focus_messages (focus_id, seq, after_turn, kind, content, tokens, keeps_from, created_at)
     select f.id, max(m.seq) + 1, 1, 'summary', 'So far: SECRETSUMMARY', 10, 1, now()
       from animus.foci f join animus.focus_messages m on m.focus_id = f.id where f.work_item_id = $1 group by f.id returning seq`,
    [id],
  );
  expect(rows).toHaveLength(1);
}

async function ended(api: TestApi, person: string, id: string): Promise<void> {
  await eventually(`the end of ${id}`, async () => {
    const { body } = await api.call(person, 'GET', `/work/${id}`);
    if (body.state === 'dead') throw new Error(JSON.stringify(body.error));
    return body.state === 'completed' ? true : null;
  });
}
