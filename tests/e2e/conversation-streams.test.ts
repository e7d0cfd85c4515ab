import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startConversation } from '../../src/features/conversations/store/conversations.ts';
import { deleteMessage, editMessage, sayInConversation } from '../../src/features/conversations/store/messages.ts';
import { createWorkspace } from '../../src/features/conversations/store/workspaces.ts';
import { CONVERSATION_BEGINNING, type ConversationPosition } from '../../src/store/events/conversation-position.ts';
import { readConversationPage } from '../../src/store/events/read-conversation-events.ts';
import { type DaemonProcess, makeSite, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { type GotEvent, readEventStream } from '../support/event-reader.ts';
import { startKillableServer } from '../support/killed-event-server.ts';

const pg = testDatabase({ anew: true });
const FACULTY = `
[faculty]
name = "talker"
description = "Talks"
isolation = "directory"
[faculty.engage]
model = "play/any"
system_prompt = "You talk."
tools = ["list_dir", "bash"]
[faculty.awareness]
enabled = false
`;
const CONFIG = `
[daemon]
lease_seconds = 5
poll_seconds = 1
[providers.play]
kind = "scripted"
script = "script.toml"
`;
/** The first turn of each answer looks until the file exists, the second one answers. */
const scriptUntil = (file: string) =>
  Array.from(
    { length: 4 },
    () => `
[[answer]]
text = "Let me look, one word after the other."
piece_delay_ms = 20
[[answer.call]]
tool = "bash"
input = { command = "until [ -e ${file} ]; do sleep 0.1; done" }
[[answer]]
text = "This is it."
`,
  ).join('');

it('a reader of a conversation gets each event once, although server and daemon are killed again and again', {
  timeout: 180_000,
}, async () => {
  const db = pg.database;
  const directory = mkdtempSync(join(tmpdir(), 'animus-streams-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const found = join(directory, 'found');
  const site = makeSite({
    modelUrl: null,
    databaseUrl: pg.connectionString,
    config: CONFIG,
    faculties: { talker: FACULTY },
    files: { 'script.toml': scriptUntil(found) },
  });
  let daemon: DaemonProcess = await startDaemon(site);
  const id = await startConversation(db, { workspaceId: await createWorkspace(db, 'default'), faculty: 'talker' });
  const first = await sayInConversation(db, id, 'What is it?');
  const second = await sayInConversation(db, id, 'And what else?');
  const got: GotEvent[] = [];
  /** What people do meanwhile, and when the daemon is killed, by the number of events. */
  const meanwhile: Readonly<Record<number, () => Promise<unknown>>> = {
    // The first answer is still looking.
    7: () => restart(() => writeFileSync(found, '')),
    11: () => deleteMessage(db, first.messageId),
    13: () => editMessage(db, second.messageId, 'And what is that?'),
    20: () => restart(),
  };
  const restart = async (whileDown = () => {}) => {
    await daemon.kill('SIGKILL');
    whileDown();
    daemon = await startDaemon(site);
  };
  const over = () => got.filter(({ type }) => type === 'answered').length >= 3;
  // The server is killed after every event, so that the reader goes on from each of them.
  for (let next = await startKillableServer(pg.connectionString); !over(); ) {
    const reader = await readEventStream(`${next.url}/chats/${id}/events`, { after: got.at(-1)?.id ?? null });
    got.push(await reader.until((event) => event.id !== null));
    const following = startKillableServer(pg.connectionString);
    await next.kill();
    await reader.ended;
    await meanwhile[got.length]?.();
    next = await following;
  }

  const keyOf = ({ text: _text, id: _id, ...rest }: Record<string, unknown>) => JSON.stringify(rest);
  expect(new Set(got.map(({ data }) => keyOf(data))).size).toBe(got.length);
  const all = await readAll(id);
  expect(got.map(({ type }) => type).toSorted()).toEqual(all.toSorted());
  expect(got.find(({ data }) => data['replaces'] === second.messageId)).toMatchObject({ type: 'said' });
  expect(got.some(({ type }) => type === 'deleted')).toBe(true);
  expect(got.some(({ data }) => data['resumed'] === true)).toBe(true);
  expect(got.length).toBeGreaterThan(22);
});

async function readAll(id: string): Promise<string[]> {
  const all: string[] = [];
  for (let at: ConversationPosition = CONVERSATION_BEGINNING, more = true; more; ) {
    const page = await readConversationPage(pg.database, id, at);
    all.push(...page!.events.map(({ event }) => event.type));
    ({ position: at, more } = page!);
  }
  return all;
}
