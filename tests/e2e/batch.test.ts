// Also on the wires openai, responses.
import { describe, expect, it, onTestFinished } from 'vitest';
import { startConversation } from '../../src/features/conversations/store/conversations.ts';
import { sayInConversation } from '../../src/features/conversations/store/messages.ts';
import { readConversation } from '../../src/features/conversations/store/read-messages.ts';
import { createWorkspace } from '../../src/features/conversations/store/workspaces.ts';
import type { Database } from '../../src/store/sql/database.ts';
import { makeSite, runAnimus, type Site, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { type AnthropicProgramme, text, toolUse } from '../support/model-server/anthropic.ts';
import { type BatchServer, startBatchServer } from '../support/model-server/batch-server.ts';
import { MODEL, messagesOf } from '../support/model-server/either-wire.ts';
import { stateOf } from './work-state.ts';

const FACULTY = `
[faculty]
name = "scribe"
[faculty.engage]
model = "${MODEL}"
system_prompt = "You write."
batch = true
`;
const LIVE = FACULTY.replace('scribe', 'talker').replace('batch = true\n', '');
const CONFIG =
  '[daemon]\nlease_seconds = 5\npoll_seconds = 0.5\n[batch]\ngather_seconds = 0.5\npoll_seconds = 0.5\nsubmit_timeout_seconds = 2\n';

/** A ledger entry, then the end. */
const twoTurns: AnthropicProgramme = (body) => {
  const answered = messagesOf(body).some((message) => message.role === 'assistant');
  if (answered) return { content: [text('Written.')], usage: { input_tokens: 1000, output_tokens: 100 } };
  const call = toolUse('note', 'ledger_append', { type: 'finding', content: 'noted' });
  return { content: [text('I note it.'), call], usage: { input_tokens: 1000, output_tokens: 100 } };
};

describe('turns in batches', () => {
  const pg = testDatabase();

  it('are asked together at half the price, while the items hold nothing', async () => {
    const server = await modelServer(twoTurns);
    server.state.finishes = false;
    const site = siteOf(server, pg.connectionString);
    await startDaemon(site);
    const ids = await insert(pg.database, 3);
    const [live] = await insert(pg.database, 1, 'talker');
    await stateOf(pg.database, live!, 'completed');
    const [batch] = await eventually('one batch has been taken', () =>
      server.state.batches.length > 0 ? server.state.batches : null,
    );
    expect(batch!.requests).toHaveLength(3);
    const parked = await pg.database.query(
      `select w.state, lease_owner, v.kind from animus.work_items w join animus.waits v on v.work_item_id = w.id where w.id = any ($1::uuid[])`,
      [ids],
    );
    expect(parked).toEqual(Array.from({ length: 3 }, () => ({ state: 'waiting', lease_owner: null, kind: 'batch' })));
    const shown = await runAnimus(site, ['work', 'show', ids[0]!]);
    expect(shown.stdout).toMatch(/waits +turn 1 is in a batch of /);
    const status = await runAnimus(site, ['status']);
    expect(status.stdout).toMatch(/Batches\s+3 turns in 1 batch at \w+/);

    server.state.finishes = true;
    for (const id of ids) await stateOf(pg.database, id, 'completed');
    const costs = await pg.database.query<{ batch: boolean; cost: number; turns: number }>(
      `select faculty = 'scribe' as batch, cost_usd::float8 as cost, turns from animus.work_items where id = any ($1::uuid[]) order by id`,
      [[ids[0], live]],
    );
    expect(costs.map(({ turns }) => turns)).toEqual([2, 2]);
    expect(costs[0]!.cost).toBeCloseTo(costs[1]!.cost / 2, 8);
    // Byte for byte what a live turn sends, but for the stream.
    expect(boughtOnce(server)).toBe(6);
    const requests = await pg.database.query('select distinct state from animus.batch_requests');
    expect(requests).toEqual([{ state: 'recorded' }]);
  }, 180_000);

  it('are asked for by a work item, and refused to one', async () => {
    const server = await modelServer(twoTurns);
    const site = siteOf(server, pg.connectionString);
    await startDaemon(site);
    // Of the daemon before, which was killed.
    await pg.database.query('delete from animus.batch_pollers');
    await pg.database.query('delete from animus.batches');
    const inBatch = await runAnimus(site, ['work', 'submit', 'talker', 'x', '--batch', '--wait']);
    expect(inBatch.exit).toBe(0);
    expect(server.state.batches).toHaveLength(2);
    const live = await runAnimus(site, ['work', 'submit', 'scribe', 'x', '--no-batch', '--wait']);
    expect(live.exit).toBe(0);
    expect(server.state.batches).toHaveLength(2);
  }, 180_000);
});

describe('a conversation in batches', () => {
  const pg = testDatabase();

  it('goes on from answer to answer, byte for byte', async () => {
    const server = await modelServer((body) => {
      const questions = JSON.stringify(messagesOf(body)).match(/question \d/g) ?? [];
      return { content: [text(`Answer ${new Set(questions).size}.`)] };
    });
    await startDaemon(siteOf(server, pg.connectionString));
    const workspaceId = await createWorkspace(pg.database, 'default');
    const id = await startConversation(pg.database, { workspaceId, faculty: 'scribe' });
    for (const n of [1, 2, 3]) await sayInConversation(pg.database, id, `question ${n}`);
    const messages = await eventually(
      'three answers',
      async () => {
        const all = await readConversation(pg.database, id);
        return all.filter(({ role }) => role === 'assistant').length === 3 ? all : null;
      },
      40,
    );
    expect(messages.map(({ content }) => content)).toEqual([1, 2, 3].flatMap((n) => [`question ${n}`, `Answer ${n}.`]));
    // One after the other, each in a batch of its own.
    const asked = server.state.batches.map(({ requests }) => requests.map(({ body }) => messagesOf(body as never)));
    expect(asked.map((requests) => requests.length)).toEqual([1, 1, 1]);
    const texts = asked.map(([messages]) =>
      messages!.flatMap(({ content }) => content).map((block) => JSON.stringify(block['text'] ?? null)),
    );
    for (const n of [1, 2]) expect(texts[n]!.slice(0, texts[n - 1]!.length)).toEqual(texts[n - 1]);
  }, 180_000);
});

describe('turns in batches on the embedded database', () => {
  it('wake their item, too', async () => {
    const server = await modelServer(twoTurns);
    const site = makeSite({ modelUrl: server.url, config: CONFIG, faculties: { scribe: FACULTY } });
    await startDaemon(site);
    const submitted = await runAnimus(site, ['work', 'submit', 'scribe', 'Write', '--wait']);
    expect(submitted.exit).toBe(0);
    expect(boughtOnce(server)).toBe(2);
  }, 180_000);
});

async function modelServer(programme: AnthropicProgramme): Promise<BatchServer> {
  const server = await startBatchServer(programme);
  onTestFinished(() => server.close());
  return server;
}

function siteOf(server: BatchServer, databaseUrl: string): Site {
  return makeSite({ modelUrl: server.url, databaseUrl, config: CONFIG, faculties: { scribe: FACULTY, talker: LIVE } });
}

/** How many turns were bought in batches; each once. */
function boughtOnce(server: BatchServer): number {
  const bodies = server.state.batches.flatMap(({ requests }) => requests.map(({ body }) => JSON.stringify(body)));
  const ids = server.state.batches.flatMap(({ requests }) => requests.map(({ customId }) => customId));
  expect(new Set(ids).size).toBe(ids.length);
  return bodies.length;
}

async function insert(database: Database, count: number, faculty = 'scribe'): Promise<string[]> {
  const rows = await database.query<{ id: string }>(
    `insert into animus.work_items (faculty, description) select $1, 'Write ' || n from generate_series(1, $2) n returning id`,
    [faculty, count],
  );
  return rows.map((row) => row.id);
}
