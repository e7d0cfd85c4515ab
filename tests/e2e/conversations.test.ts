// Also on the wires openai, responses.
/** Promise: in a conversation each request is the one before, byte for byte, up to the block that the last answer closed; a daemon that is killed at any point sends the same. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { startConversation } from '../../src/features/conversations/store/conversations.ts';
import { sayInConversation } from '../../src/features/conversations/store/messages.ts';
import { readConversation } from '../../src/features/conversations/store/read-messages.ts';
import { createWorkspace } from '../../src/features/conversations/store/workspaces.ts';
import type { Database } from '../../src/store/sql/database.ts';
import { testDatabase } from '../support/database.ts';
import { type AnthropicProgramme, text, toolUse } from '../support/model-server/anthropic.ts';
import { messagesOf, startModelServer, WIRE } from '../support/model-server/either-wire.ts';
import type { ModelServer } from '../support/model-server/server.ts';
import { type Choose, type Kill, moments, runWithKills } from './journal-kills.ts';

const MESSAGES = 7;
/** Every third answer looks around first and records a step. */
const usesTools = (n: number) => n % 3 === 0;

const textOf = (block: Readonly<Record<string, unknown>>) => (typeof block['text'] === 'string' ? block['text'] : '');

const programme: AnthropicProgramme = (body) => {
  const blocks = messagesOf(body).flatMap(({ content }) => content);
  const n = blocks.flatMap((block) => [...textOf(block).matchAll(/^question (\d+)$/gm)]).length;
  const calls = blocks.filter(({ type }) => type === 'tool_use').length;
  const stepped = blocks.some((said) => textOf(said).startsWith('What you recorded about finished work'));
  if (!usesTools(n)) return { content: [text(`Answer ${n}.`)] };
  if (stepped || calls >= 4) return { content: [text(`Answer ${n}, after a look.`)] };
  if (calls >= 2) {
    return {
      content: [
        text(`On with ${n}.`),
        toolUse(`s${n}`, 'list_dir', { path: '.' }),
        toolUse(`t${n}`, 'ledger_read', {}),
      ],
    };
  }
  return {
    content: [
      text(`A look for ${n}.`),
      toolUse(`r${n}`, 'list_dir', { path: '.' }),
      toolUse(`l${n}`, 'ledger_append', { type: 'finding', content: `fact ${n}` }),
    ],
  };
};

/** All messages at once: each is answered when the answer before has ended. Returns the item of the last. */
async function talk(database: Database): Promise<string> {
  const workspace = await createWorkspace(database, 'default');
  const id = await startConversation(database, { workspaceId: workspace, faculty: 'smith' });
  let last = '';
  for (let n = 1; n <= MESSAGES; n += 1) last = (await sayInConversation(database, id, `question ${n}`)).workItemId;
  return last;
}

const inOrder: Choose = ([next], call, moment, times) =>
  next?.call === call && next.moment === moment && next.nth <= times ? 0 : -1;

describe('a conversation', () => {
  const pg = testDatabase();

  async function run(kills: readonly Kill[]) {
    const server = await startModelServer(programme);
    onTestFinished(() => server.close());
    const { id, site, met } = await runWithKills(pg, server, inOrder, kills, undefined, talk);
    expect(met).toEqual(kills);
    expect(server.requests.map(({ refused }) => refused).filter(Boolean)).toEqual([]);
    const [row] = await pg.database.query<{ conversation: string; submitter: string }>(
      `select m.file_id as conversation, m.author as submitter from animus.chat_messages m where m.work_item_id = $1 and role = 'user'`,
      [id],
    );
    const clean = (body: string) =>
      body
        .replaceAll(site.directory, '<site>')
        .replaceAll(row!.conversation, '<chat>')
        .replaceAll(row!.conversation.slice(-12), '<file>')
        .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, '<time>');
    return {
      server,
      conversation: row!.conversation,
      bodies: server.requests.map(({ body }) => clean(body.toString())),
    };
  }

  let unkilled: Awaited<ReturnType<typeof run>>;

  it('goes on from request to request, and closes the tool traffic of ended answers', async () => {
    unkilled = await run([]);
    const { server, conversation } = unkilled;
    expect((await readConversation(pg.database, conversation)).map(({ content }) => content)).toEqual(
      Array.from({ length: MESSAGES }, (_, n) => [
        `question ${n + 1}`,
        usesTools(n + 1) ? `Answer ${n + 1}, after a look.` : `Answer ${n + 1}.`,
      ]).flat(),
    );
    expectAppended(server);
    const last = messagesOf(server.requests.at(-1)!.json!).flatMap(({ content }) => content);
    expect(last.filter(({ type }) => type !== 'text' && type !== 'thinking')).toEqual([]);
    const said = last.map(textOf).join('\n');
    for (const words of ['A look for 3.', 'On with 6.', 'Answer 6, after a look.', 'finding: fact 3', 'question 7'])
      expect(said).toContain(words);
    // One chain: every focus goes on with the one before.
    const chained = await pg.database.query(`select from animus.foci where continues is not null`);
    expect(chained).toHaveLength(MESSAGES - 1);
  });

  it('sends the same after kills at every point', async () => {
    const ofItems = ['add_message', 'begin_turn', 'finish_tool_calls', 'complete_batch'];
    const ofAnswers = ['answer_start', 'continue_focus', 'record_turn'];
    // What else ends or begins an item is the same on every wire.
    const calls = WIRE === 'anthropic' ? [...ofAnswers, ...ofItems] : ofAnswers;
    const kills = calls.flatMap((call) => moments(call, 1));
    const killed = await run(kills);
    const asked = (bodies: readonly string[]) => [...new Set(bodies)];
    expect(asked(killed.bodies)).toEqual(asked(unkilled.bodies));
  }, 600_000);
});

/** Each request begins with what the one before had in front of the block that was closed meanwhile: everything, if it used no tools. */
function expectAppended(server: ModelServer): void {
  const requests = server.requests.map(({ json }) => frameless(json!));
  for (const [index, request] of requests.entries()) {
    const before = requests[index - 1];
    if (before === undefined) continue;
    const call = before.findIndex((message) => /tool_use|tool_calls|function_call/.test(message));
    // The block begins after what people said last; on Responses, with the reasoning before the call.
    const block = before.findLastIndex((message, at) => at < call && message.includes('"role":"user"')) + 1;
    const kept = call < 0 ? before : before.slice(0, block);
    expect(request.slice(0, kept.length)).toEqual(kept);
  }
}

/** The messages of a request in its own format, without marks of the cache. */
function frameless(json: Record<string, unknown>): string[] {
  const list = (WIRE === 'responses' ? json['input'] : json['messages']) as object[];
  return list.map((message) =>
    JSON.stringify(message, (key, value: unknown) => (key === 'cache_control' ? undefined : value)),
  );
}
