/** The table reason × place of docs/states.md: for each reason a real item waits for it, and every place is asked why. */
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { createInterrupts } from '../../../src/core/lifecycle/interrupts.ts';
import { WAITING_REASONS, type WaitingReason } from '../../../src/core/work/waiting.ts';
import { sayInConversation } from '../../../src/features/conversations/store/messages.ts';
import { followWork } from '../../../src/features/work/terminal/follow-work.ts';
import { resumeFaculty } from '../../../src/store/work/operate.ts';
import { type NewWork, submitWork } from '../../../src/store/work/submit-work.ts';
import type { Invocation } from '../../../src/terminal/command/command.ts';
import { waitingNotes } from '../../../src/terminal/events/waiting-notes.ts';
import { createOutput } from '../../../src/terminal/view/output.ts';
import { run } from '../../cli/run-cli.ts';
import { connectHttp, use } from '../../http/mcp/mcp-client.ts';
import { newTalk } from '../../store/conversations/begun.ts';
import { type Answer, startApi, type TestApi } from '../../support/api.ts';
import { testDatabase } from '../../support/database.ts';
import { readEventStream } from '../../support/event-reader.ts';
import { eventually } from '../../support/eventually.ts';
import { createPerson } from '../../support/people.ts';
import { WAITING_ITEMS, type WaitingMeans } from '../../support/waiting-items.ts';

const target = testDatabase();
beforeEach(() => resumeFaculty(target.database, '*'));

type Json = Answer['body'];

const animus = async (...argv: string[]) => {
  const ran = await run(argv, { env: { DATABASE_URL: target.connectionString } });
  if (ran.code !== 0) throw new Error(ran.stderr);
  return ran.stdout;
};

/** Alice submits and speaks over HTTP. */
function aliceMeans(api: TestApi): WaitingMeans {
  const post = async (path: string, body: object) => {
    const answer = await api.call('alice', 'POST', path, { body });
    if (answer.status >= 300) throw new Error(JSON.stringify(answer.body));
    return answer.body;
  };
  return {
    db: target.database,
    submit: async ({ faculty, concurrencyKey, parentId, runAt }: NewWork) =>
      (await post('/work', { faculty, concurrency_key: concurrencyKey, parent_id: parentId, run_at: runAt })).id,
    async say(faculty, messages) {
      const workspace = await post('/workspaces', { name: 'default' });
      const chat = await post(`/workspaces/${workspace.id}/chats`, { faculty });
      const items: string[] = [];
      for (const content of messages)
        items.push((await post(`/workspaces/${workspace.id}/chats/${chat.id}`, { content })).work_item_id);
      return items;
    },
  };
}

/** What each place says: its `waiting`, or the text where it stands. */
const PLACES: Readonly<Record<string, (api: TestApi, id: string) => Promise<Json>>> = {
  'work show': async (_, id) => JSON.parse(await animus('work', 'show', id, '--json')).item.waiting,
  'work list': async (_, id) => ofItem(JSON.parse(await animus('work', 'list', '--limit', '200', '--json')).items, id),
  async status(_, id) {
    const { waiting } = JSON.parse(await animus('status', '--json'));
    const [item] = await target.database.query('select faculty from animus.work_items where id = $1', [id]);
    return waiting.find((one: Json) => one.faculty === item!['faculty']);
  },
  'GET /work/ID': async (api, id) => (await api.call('alice', 'GET', `/work/${id}`)).body.waiting,
  'GET /work': async (api, id) => ofItem((await api.call('alice', 'GET', '/work?limit=200')).body.items, id),
  'GET /status': async (api, id) => {
    const [item] = await target.database.query('select faculty from animus.work_items where id = $1', [id]);
    const { waiting } = (await api.call('rita', 'GET', '/status')).body;
    return waiting.find((one: Json) => one.faculty === item!['faculty']);
  },
  'stream of the item': (api, id) => streamed(api, `/work/${id}/events`, ({ waiting }) => waiting ?? null),
  'stream of all work': (api, id) => streamed(api, '/events', ({ items }) => items && ofItem(items, id)),
  async WebSocket(api, id) {
    const socket = new WebSocket(`${api.url}/api/v1/socket`, ['animus.v1', `token.${await api.tokenOf('alice')}`]);
    onTestFinished(() => socket.close());
    const said = new Promise<Json>((resolve) =>
      socket.on('message', (data: Buffer) => {
        const { event } = JSON.parse(data.toString('utf8'));
        if (event?.type === 'state' && event.live && event.waiting !== null) resolve(event.waiting);
      }),
    );
    socket.on('open', () => socket.send(JSON.stringify({ type: 'subscribe', name: 'a', work: id })));
    return said;
  },
  'MCP show_work': async (api, id) =>
    (await use(await connectHttp(api.url, await api.tokenOf('alice')), 'show_work', { id })).waiting,
  'MCP list_work': async (api, id) =>
    ofItem((await use(await connectHttp(api.url, await api.tokenOf('alice')), 'list_work', { limit: 50 })).items, id),
  'MCP wait_for_work': async (api, id) =>
    (await use(await connectHttp(api.url, await api.tokenOf('alice')), 'wait_for_work', { id, seconds: 1 })).item
      .waiting,
  'SQL view': async (_, id) =>
    (await target.database.query('select * from animus.waiting_work where work_item_id = $1', [id]))[0],
};

const ofItem = (items: Json, id: string) => items.find((item: Json) => (item.work_item_id ?? item.id) === id)?.waiting;

async function streamed(api: TestApi, path: string, pick: (data: Json) => Json): Promise<Json> {
  const headers = { authorization: `Bearer ${await api.tokenOf('alice')}` };
  const reader = await readEventStream(`${api.url}/api/v1${path}`, { headers });
  const found = await reader.until(({ data }) => data['live'] === true && Boolean(pick(data)));
  await reader.leave();
  return pick(found.data);
}

test.each(WAITING_REASONS)('%s: every place says it, with since when and what ends it', async (reason) => {
  const api = await startApi(target.database);
  await createPerson(target.database, 'rita', 'reader');
  const id = await WAITING_ITEMS[reason](aliceMeans(api));
  const said: Record<string, unknown> = {};
  const endings = new Set<string>();
  for (const [place, ask] of Object.entries(PLACES)) {
    const answer = await ask(api, id);
    said[place] = answer?.reason;
    endings.add(answer?.ends);
    expect([place, answer]).toEqual([
      place,
      expect.objectContaining({ why: expect.any(String), ends: expect.any(String) }),
    ]);
    expect(Number.isNaN(Date.parse(answer.since))).toBe(false);
  }
  expect(said).toEqual(Object.fromEntries(Object.keys(PLACES).map((place) => [place, reason])));
  // One answer everywhere, with what happens when the time is over.
  expect([...endings]).toEqual([OTHERWISE[reason] ?? expect.not.stringContaining('otherwise')]);
  const { why, ends } = await PLACES['work show']!(api, id);
  const shown = await animus('work', 'show', id);
  for (const text of [why, ends]) expect(shown).toContain(text);
  expect(await animus('work', 'list', '--limit', '200')).toContain(why.slice(0, 20));
  expect(await animus('status')).toContain(why.slice(0, 20));
});

/** Where a person can be late. */
const OTHERWISE: Partial<Record<WaitingReason, string>> = {
  approval: 'an operator decides; otherwise it is denied at the deadline',
  question: 'an operator answers; otherwise the work goes on without an answer at the deadline',
  budget: 'an operator raises the limit; otherwise the work dies at the deadline',
};

/** These stand in the way of all work. */
const GLOBAL: readonly WaitingReason[] = ['all_paused', 'no_daemon'];
const OTHERS = WAITING_REASONS.filter((reason) => !GLOBAL.includes(reason));

test('a command that waits for the end of work, or for an answer, says each of them', async () => {
  const db = target.database;
  const means: WaitingMeans = {
    db,
    submit: async (work) => (await submitWork(db, work)).id,
    async say(faculty, messages) {
      const talk = await newTalk(db, { faculty });
      const items: string[] = [];
      for (const text of messages) items.push((await sayInConversation(db, talk.id, text)).workItemId);
      return items;
    },
  };
  const ids: string[] = [];
  for (const reason of OTHERS) ids.push(await WAITING_ITEMS[reason](means));
  const listening = ids.map((id) => listen(id));
  const said = await Promise.all(listening);
  const every = OTHERS.map(() => expect.stringMatching(/^animus: it waits: [^\n]+, until [^\n]+$/m));
  expect(said.map(({ waits }) => waits)).toEqual(every);
  expect(said.map(({ answer }) => answer)).toEqual(every);
  expect(said.map(({ tail }) => tail)).toEqual(every);
});

/** What `work submit --wait`, `chat send --wait` and `work tail` say about the item. */
async function listen(id: string): Promise<Readonly<Record<'waits' | 'answer' | 'tail', string>>> {
  const interrupts = createInterrupts(systemClock);
  const [waits, answer] = [listener(), listener()];
  const context = { signals: interrupts, env: {} };
  const submitted = { id, state: 'queued' as const, merged_into: null };
  const following = followWork({ output: waits.output, context } as unknown as Invocation, target.database, submitted);
  const look = await waitingNotes(answer.output, target.database, id);
  await eventually(`news of ${id}`, async () => {
    await look();
    return (waits.said().includes('it waits') && answer.said().includes('it waits')) || null;
  });
  interrupts.receive('SIGINT');
  await following.catch(() => undefined);
  return { waits: waits.said(), answer: answer.said(), tail: await tail(id) };
}

/** Follows it until it says why it waits. */
async function tail(id: string): Promise<string> {
  const interrupts = createInterrupts(systemClock);
  const { stderr } = await run(['work', 'tail', id], {
    env: { DATABASE_URL: target.connectionString },
    interrupts,
    onNote: (text) => void (text.includes('it waits') && interrupts.receive('SIGINT')),
  });
  return stderr;
}

function listener() {
  let stderr = '';
  const output = createOutput({
    stdout: { write: () => undefined },
    stderr: { write: (text) => void (stderr += text) },
    env: {},
    json: false,
  });
  return { output, said: () => stderr };
}
