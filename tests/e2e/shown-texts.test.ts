/** Promise: whatever happens to answers, daemons, servers and the network, a reader that followed has what a fresh one is given and what the conversation keeps, and was told of all that is void. */
import { expect, onTestFinished, test } from 'vitest';
import { type AnswerText, answerTexts } from '../../src/client/answer-texts.ts';
import { ApiError, type ChatEvent, createClient } from '../../src/client/client.ts';
import { systemClock } from '../../src/core/lifecycle/clock.ts';
import { type DaemonProcess, makeSite, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { type HttpProcess, startHttpProcess } from '../support/http-process.ts';
import { type AnthropicProgramme, text, toolUse } from '../support/model-server/anthropic.ts';
import { MODEL, messagesOf, PROVIDER, startModelServer } from '../support/model-server/either-wire.ts';
import { createPerson, createToken } from '../support/people.ts';
import { type PostgresProxy, startPostgresProxy } from '../support/postgres-proxy.ts';

const pg = testDatabase({ anew: true });
/** Each run meets other faults; with the seed of a failed one, the same are drawn again. */
const SEED = Number(process.env['ANIMUS_TEST_SEED'] ?? Date.now() % 1_000_000);
/** Messages in each conversation. Increase it on a machine that has time. */
const ROUNDS = Number(process.env['ANIMUS_TEST_ROUNDS'] ?? 3);
const LEASE_SECONDS = 5;
const random = randomOf(SEED);
const FACULTY = `
[faculty]
name = "talker"
description = "Talks"
[faculty.engage]
model = "${MODEL}"
fallback_models = ["${PROVIDER}/other-1"]
system_prompt = "You talk."
tools = ["list_dir"]
[faculty.awareness]
enabled = false
[faculty.recover]
max_attempts = 20
base_seconds = 0.1
max_seconds = 1
`;
const CONFIG = `[daemon]\nlease_seconds = ${LEASE_SECONDS}\npoll_seconds = 0.5\nhttp = "off"\n`;

/** Long texts in small pieces, with calls, and each way in which a provider ends one early. */
function talker(): AnthropicProgramme {
  let n = 0;
  return (body) => {
    const words = Array.from({ length: 40 + Math.floor(random() * 60) }, (_, at) => `wort${at}-日本`).join(' ');
    const said = text(`Text ${++n}: ${words}.`);
    const slowly = { pieceBytes: 120, everyMs: 25 };
    const isAfterCall = JSON.stringify(messagesOf(body).at(-1)).includes('tool_result');
    const how = random();
    const stopAfter = 4 + Math.floor(random() * 20);
    if (how < 0.08) return { status: 529, message: 'busy' };
    if (how < 0.16) return { content: [said], ...slowly, stopAfter, errorEvent: 'overloaded_error' };
    if (how < 0.24) return { content: [said], ...slowly, stopAfter, finally: 'reset' };
    if (how < 0.3) return { content: [said], ...slowly, stop_reason: 'refusal' };
    if (how < 0.5 && !isAfterCall)
      return { content: [said, toolUse(`look-${n}`, 'list_dir', { path: '.' })], ...slowly };
    return { content: [said], ...slowly };
  };
}

test(`faults of all kinds at once (seed ${SEED})`, { timeout: 400_000 }, async () => {
  const { client, workspace, troubles } = await start();
  const talks = await Promise.all(
    (['queue', 'tell', 'queue', 'tell'] as const).map(async (whileAnswering) => {
      const { id } = await client.chats.start(workspace, { faculty: 'talker', while_answering: whileAnswering });
      return { id, live: follow((signal) => client.chats.events(workspace, id, { signal })) };
    }),
  );
  const happened: string[] = [];
  let acting = true;
  const troubling = troubles(() => acting, happened);
  await Promise.all(
    talks.map(async ({ id, live }) => {
      for (let round = 0; round < ROUNDS; round++) {
        const said = await client.chats.say(workspace, id, { content: `Question ${round}` });
        const item = said.work_item_id;
        const reach = Math.floor(random() * 500);
        await eventually('some of the answer', () => live.shownOf(item).length >= reach || live.isOver(item) || null);
        happened.push(await act(client, workspace, id, said));
        await overOf(id);
      }
    }),
  );
  acting = false;
  await troubling;

  for (const { id, live } of talks) {
    const [{ n } = { n: 0 }] = await pg.database.query<{ n: number }>(
      `select count(distinct work_item_id)::int as n from animus.chat_messages where file_id = $1 and role = 'assistant' and deleted_at is null`,
      [id],
    );
    const context = `seed ${SEED}: ${happened.join(', ')}`;
    await eventually(`the live reader knows of ${n} ends`, () => live.ends() >= n || null);
    const fresh = follow((signal) => client.chats.events(workspace, id, { signal }));
    await eventually(`a fresh reader knows of ${n} ends`, () => fresh.ends() >= n || null);
    expect(live.last(), context).toEqual(fresh.last());
    expect(live.shrunk(), context).toEqual([]);
    for await (const { role, content, work_item_id: item, ended_as } of client.chats.listMessages(workspace, id))
      if (role === 'assistant') expect(fresh.last()[item!], context).toMatchObject({ text: content, ended_as });
    await live.leave();
    await fresh.leave();
  }
});

type Client = ReturnType<typeof createClient>;

/** What people do while an answer is given. An answer may end first: that is refused, and nothing to the test. */
async function act(client: Client, workspace: string, id: string, said: { work_item_id: string; message_id: string }) {
  const acts = {
    nothing: async () => {},
    cancel: () => client.work.cancel(said.work_item_id, { reason: 'enough' }),
    'say more': () => client.chats.say(workspace, id, { content: 'And the other one?' }),
    edit: () => client.chats.editMessage(workspace, id, said.message_id, { content: 'What I meant' }),
    'ask again': async () => {
      await overOf(id);
      await client.chats.retryMessage(workspace, id, said.message_id);
    },
  };
  const name = Object.keys(acts)[Math.floor(random() * 5)] as keyof typeof acts;
  await acts[name]().catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
  });
  return name;
}

function overOf(chat: string): Promise<unknown> {
  return eventually(
    'all answers are over',
    async () => {
      const open = await pg.database.query(
        `select w.state from animus.chat_messages m join animus.work_items w on w.id = m.work_item_id where m.file_id = $1 and w.resolved_at is null`,
        [chat],
      );
      return open.length === 0 || null;
    },
    200,
  );
}

/** Follows a conversation until `leave`, as a page does that shows the text to show now. */
function follow(open: (signal: AbortSignal) => AsyncGenerator<ChatEvent, void>) {
  const leaving = new AbortController();
  const shown = new Map<string, AnswerText>();
  const shrunk: object[] = [];
  const following = (async () => {
    for await (const now of answerTexts(open(leaving.signal))) {
      const before = shown.get(now.work_item_id)?.text ?? '';
      if (!now.withdrawn && !now.text.startsWith(before)) shrunk.push({ before, now });
      shown.set(now.work_item_id, now);
    }
  })();
  // A stream that ends by itself, such as one that gave its server up, would make every wait below one without an end.
  const ended = following.catch((error: unknown) => {
    if (!leaving.signal.aborted) throw error;
  });
  onTestFinished(() => leaving.abort());
  return {
    shownOf: (id: string) => shown.get(id)?.text ?? '',
    isOver: (id: string) => shown.get(id)?.over ?? false,
    ends: () => [...shown.values()].filter(({ over }) => over).length,
    /** By item. How a text came about last says nothing. */
    last: () => Object.fromEntries([...shown].map(([id, { withdrawn: _, ...rest }]) => [id, rest])),
    shrunk: () => shrunk,
    leave: () => {
      leaving.abort();
      return ended;
    },
  };
}

/** Two daemons and a server, each behind a proxy of its own. */
async function start() {
  const models = await startModelServer(talker());
  onTestFinished(() => models.close());
  await createPerson(pg.database, 'olga', 'operator');
  const { secret } = await createToken(pg.database, 'olga');
  const slots: { readonly proxy: PostgresProxy; daemon: DaemonProcess }[] = [];
  const daemonAt = (proxy: PostgresProxy) =>
    startDaemon(
      makeSite({ modelUrl: models.url, databaseUrl: proxy.url, config: CONFIG, faculties: { talker: FACULTY } }),
    );
  for (let n = 0; n < 2; n++) {
    const proxy = await startPostgresProxy(pg.connectionString);
    slots.push({ proxy, daemon: await daemonAt(proxy) });
  }
  const readers = await startPostgresProxy(pg.connectionString);
  const port = await freePort();
  let server: HttpProcess = await startHttpProcess(port, readers.url);
  const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, token: secret, retries: 12 });
  const { id: workspace } = await client.workspaces.create({ name: 'default' });

  const kinds = {
    'kill of a daemon': async () => {
      const slot = slots[Math.floor(random() * slots.length)]!;
      await slot.daemon.kill('SIGKILL');
      slot.daemon = await daemonAt(slot.proxy);
    },
    'freeze past the lease': async () => {
      const { daemon } = slots[Math.floor(random() * slots.length)]!;
      await daemon.kill('SIGSTOP');
      await systemClock.sleep((LEASE_SECONDS + 2) * 1000);
      await daemon.kill('SIGCONT');
    },
    'outage longer than the lease': async () => {
      const proxies = [readers, ...slots.map(({ proxy }) => proxy)];
      for (const proxy of proxies) proxy.cut();
      await systemClock.sleep((LEASE_SECONDS + 2) * 1000);
      for (const proxy of proxies) proxy.mend();
    },
    'cut of the readers': async () => {
      readers.cut();
      await systemClock.sleep(1500);
      readers.mend();
    },
    'kill of the server': async () => {
      await server.kill();
      server = await startHttpProcess(port, readers.url);
    },
  };
  /** Each kind once, in a random order, as long as there is something to trouble. */
  async function troubles(isGoingOn: () => boolean, happened: string[]): Promise<void> {
    for (const name of (Object.keys(kinds) as (keyof typeof kinds)[]).toSorted(() => random() - 0.5)) {
      await systemClock.sleep(1000 + random() * 4000);
      if (!isGoingOn()) return;
      await kinds[name]();
      happened.push(name);
    }
  }
  return { client, workspace, troubles };
}

/** A linear congruential generator with the constants of Numerical Recipes. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
