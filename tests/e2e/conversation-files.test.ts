/** Promise: files that came with earlier messages are sent again when an answer begins from the recorded words, after a kill byte for byte, but never those of a deleted message; tools read them at their paths. */
import { expect, it, onTestFinished } from 'vitest';
import { startConversation } from '../../src/features/conversations/store/conversations.ts';
import {
  attachToMessage,
  deleteMessage,
  editMessage,
  sayInConversation,
} from '../../src/features/conversations/store/messages.ts';
import { readConversation } from '../../src/features/conversations/store/read-messages.ts';
import { createWorkspace } from '../../src/features/conversations/store/workspaces.ts';
import { makeSite, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { png } from '../support/media-files.ts';
import { type AnthropicProgramme, text, toolUse } from '../support/model-server/anthropic.ts';
import { MODEL, messagesOf, startModelServer } from '../support/model-server/either-wire.ts';

const pg = testDatabase({ anew: true });
const FACULTY = `
[faculty]
name = "clerk"
isolation = "directory"
[faculty.engage]
model = "${MODEL}"
system_prompt = "You look at papers."
tools = ["read_file", "glob", "grep"]
[faculty.awareness]
enabled = false
`;
const [KEPT, GONE] = [png(20, 10), png(21, 11)].map((file) => file.toString('base64')) as [string, string];

const said = (body: Readonly<Record<string, unknown>>) =>
  messagesOf(body)
    .flatMap(({ content }) => content)
    .map((block) => JSON.stringify(block))
    .join('\n');

/** It looks for the notes once when it is asked to; the first answer to "stall" never ends. */
function programme(): AnthropicProgramme {
  let stalled = false;
  return (body) => {
    const words = said(body);
    if (words.includes('find the notes') && !words.includes('tool_result')) {
      return {
        content: [
          toolUse('g', 'glob', { pattern: '*.txt' }),
          toolUse('s', 'grep', { pattern: 'Pay' }),
          toolUse('r', 'read_file', { path: 'papers.files/notes.txt' }),
          toolUse('p', 'read_file', { path: 'papers.files/kept.png' }),
        ],
      };
    }
    if (words.includes('stall') && !stalled) {
      stalled = true;
      return { content: [text('I begin and')], stopAfter: 2, finally: 'stall' };
    }
    return { content: [text('Seen.')] };
  };
}

async function start() {
  const server = await startModelServer(programme());
  onTestFinished(() => server.close());
  const site = makeSite({
    modelUrl: server.url,
    databaseUrl: pg.connectionString,
    config: '[daemon]\nlease_seconds = 5\npoll_seconds = 0.2\n',
    faculties: { clerk: FACULTY },
  });
  const workspaceId = await createWorkspace(pg.database, 'default');
  const id = await startConversation(pg.database, { workspaceId, faculty: 'clerk', path: 'papers.chat' });
  const say = (words: string, files: Readonly<Record<string, Buffer>> = {}) =>
    pg.database.transaction(async (tx) => {
      const message = await sayInConversation(tx, id, words);
      for (const [name, content] of Object.entries(files))
        await attachToMessage(tx, message.workItemId, { name, content });
      return message;
    });
  const answered = ({ workItemId }: { readonly workItemId: string }) =>
    eventually(
      'an answer',
      async () =>
        (await readConversation(pg.database, id)).find(
          (one) => one.role === 'assistant' && one.work_item_id === workItemId,
        ) ?? null,
      40,
    );
  return { server, site, say, answered };
}

it('sends them again from the recorded words, and not those of a deleted message', async () => {
  const { server, site, say, answered } = await start();
  const daemon = await startDaemon(site);
  await answered(
    await say('Look at these.', { 'kept.png': png(20, 10), 'notes.txt': Buffer.from('Pay it.\n~~~~~~\n# Orders\n') }),
  );
  const gone = await say('And this.', { 'gone.png': png(21, 11) });
  await answered(gone);
  const last = () => server.requests.at(-1)!;
  // The chain has them all, in one message each.
  expect(last().body.toString().split(KEPT)).toHaveLength(2);
  expect(last().body.toString()).toContain(GONE);

  await deleteMessage(pg.database, gone.messageId);
  const third = await say('find the notes');
  await answered(third);
  const opening = server.requests.at(-2)!.json!;
  const words = said(opening);
  expect(words).toContain('- \\"papers.files/kept.png\\": image/png');
  expect(words).toContain('# File of an earlier message: \\"kept.png\\"');
  expect(words).toContain(KEPT);
  expect(words).toContain(JSON.stringify('\n~~~~~~~\nPay it.\n~~~~~~\n# Orders\n').slice(1, -1));
  expect(words).not.toMatch(/gone\.png|And this/);
  expect(words).not.toContain(GONE);
  const results = said(last().json!);
  expect(results).toContain('papers.files/notes.txt:1:Pay it.');
  expect(results).toContain('1\\tPay it.');
  expect(results).toContain('papers.files/kept.png: is not text (image/png');

  // A retried beginning sends the same bytes.
  const fourth = await editMessage(pg.database, third.messageId, 'stall, please');
  const asked = await eventually('the edited message is asked', () =>
    last().body.includes('stall, please') ? last() : null,
  );
  await daemon.kill('SIGKILL');
  await startDaemon(site);
  await answered(fourth);
  expect(last()).not.toBe(asked);
  expect(last().body.equals(asked.body)).toBe(true);
  expect(asked.body.toString()).toContain(KEPT);
  expect(asked.body.toString()).not.toContain(GONE);
  expect(server.requests.map(({ refused }) => refused).filter(Boolean)).toEqual([]);
}, 180_000);
