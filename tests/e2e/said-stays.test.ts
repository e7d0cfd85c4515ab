/** Promise: what a person has read of an answer stays, also where the answer was cut off. */
import { expect, test } from 'vitest';
import { startConversation } from '../../src/features/conversations/store/conversations.ts';
import { sayInConversation } from '../../src/features/conversations/store/messages.ts';
import { readConversation } from '../../src/features/conversations/store/read-messages.ts';
import { createWorkspace } from '../../src/features/conversations/store/workspaces.ts';
import { makeSite, runAnimus, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { type GotEvent, readEventStream } from '../support/event-reader.ts';
import { startKillableServer } from '../support/killed-event-server.ts';

const pg = testDatabase();
const FACULTY = `
[faculty]
name = "talker"
description = "Talks"
[faculty.engage]
model = "play/any"
system_prompt = "You talk."
tools = ["list_dir"]
[faculty.awareness]
enabled = false
`;
const CONFIG =
  '[daemon]\nlease_seconds = 5\npoll_seconds = 0.5\n[providers.play]\nkind = "scripted"\nscript = "script.toml"\n';
const STORY = Array.from({ length: 200 }, (_, n) => `word${n} 日本`).join(' ');
const SCRIPT = `
[[answer]]
text = "I look first."
[[answer.call]]
tool = "list_dir"
input = { path = "." }
[[answer]]
text = "${STORY}"
piece_delay_ms = 100
[[answer]]
when = { contains = "again" }
text = "Here I am."
`;

test('an answer that is cancelled while it is read', { timeout: 120_000 }, async () => {
  const db = pg.database;
  const site = makeSite({
    modelUrl: null,
    databaseUrl: pg.connectionString,
    config: CONFIG,
    faculties: { talker: FACULTY },
    files: { 'script.toml': SCRIPT },
  });
  await startDaemon(site);
  const server = await startKillableServer(pg.connectionString);
  const id = await startConversation(db, { workspaceId: await createWorkspace(db, 'default'), faculty: 'talker' });
  const reader = await readEventStream(`${server.url}/chats/${id}/events`);
  const { workItemId } = await sayInConversation(db, id, 'Tell me a story');
  await reader.until(() => textOf(reader.events, 2).includes('word7'));
  await db.query(`select animus.cancel_work($1, 'enough')`, [workItemId]);
  await reader.until(({ type }) => type === 'answered');

  const shown = textOf(reader.events, 2);
  const [message] = (await readConversation(db, id)).filter(({ role }) => role === 'assistant');
  expect(message).toMatchObject({ ended_as: 'cancelled' });
  const kept = message!.content.replace('I look first.\n\n', '');
  expect(kept).not.toBe(message!.content);
  expect(STORY.startsWith(kept)).toBe(true);
  expect(kept.startsWith(shown)).toBe(true);

  const later = await readEventStream(`${server.url}/chats/${id}/events`);
  await later.until(({ type }) => type === 'answered');
  expect(textOf(later.events, 2)).toBe(kept);
  expect(later.events.find(({ data }) => data['cut_off'] === true)).toMatchObject({ type: 'text', data: { turn: 2 } });
  for (const args of [
    ['chat', 'export', id],
    ['chat', 'show', id],
    ['work', 'show', workItemId],
  ])
    expect((await runAnimus(site, args)).stdout, args.join(' ')).toContain(kept.slice(0, 60));
  await sayInConversation(db, id, 'Say it again');
  await later.until(({ type, data }) => type === 'answered' && data['ended_as'] === 'completed');
});

/** What a reader shows of a turn: its recorded text, or the pieces that have come. */
function textOf(events: readonly GotEvent[], turn: number): string {
  let text = '';
  for (const { id, type, data } of events) {
    if (type !== 'text' || data['turn'] !== turn) continue;
    text = id === null ? text.slice(0, data['from'] as number) + String(data['text']) : String(data['text']);
  }
  return text;
}
