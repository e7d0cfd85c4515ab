/** Promise: the shipped assistant answers in a conversation, keeps its files from answer to answer, reads the conversation as a file, and goes on with its chain unless the faculty changes. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startConversation } from '../../../src/features/conversations/store/conversations.ts';
import { sayInConversation } from '../../../src/features/conversations/store/messages.ts';
import { readConversation } from '../../../src/features/conversations/store/read-messages.ts';
import { createWorkspace } from '../../../src/features/conversations/store/workspaces.ts';
import { startTestDaemon } from '../../support/daemon.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';

const pg = testDatabase();
const FACULTIES = new URL('../../../faculties/', import.meta.url).pathname;

/** By the turns of the chain: a file in the first answer, which the second reads with the conversation. */
const SCRIPT = `
[[answer]]
turn = 1
text = "I write it down."
[[answer.call]]
tool = "write_file"
input = { path = "note.txt", content = "remembered\\n" }
[[answer]]
turn = 2
text = "Noted."
[[answer]]
turn = 3
[[answer.call]]
tool = "read_file"
input = { path = "note.txt" }
[[answer.call]]
tool = "read_file"
input = { path = "chats/talk.chat" }
[[answer]]
turn = 4
text = "It says remembered."
[[answer]]
turn = 5
text = "Again."
`;

const assistant = (more = '') =>
  readFileSync(join(FACULTIES, 'assistant.toml'), 'utf8').replace('"claude-sonnet-4-5"', `"play/x"`) + more;
const prompt = readFileSync(join(FACULTIES, 'prompts/assistant.md'), 'utf8');

async function start() {
  const daemon = await startTestDaemon({
    databaseUrl: pg.connectionString,
    script: SCRIPT,
    config: '[daemon]\npoll_seconds = 0.2\n',
    files: { 'faculties/assistant.toml': assistant(), 'faculties/prompts/assistant.md': prompt },
  });
  const workspaceId = await createWorkspace(pg.database, 'default');
  const id = await startConversation(pg.database, { workspaceId, faculty: 'assistant', path: `chats/talk.chat` });
  const say = async (text: string) => {
    const said = await sayInConversation(pg.database, id, text);
    return eventually(`an answer to ${text}\n${daemon.lines.join('\n')}`, async () => {
      const answer = (await readConversation(pg.database, id)).find(
        ({ role, work_item_id: item }) => role === 'assistant' && item === said.workItemId,
      );
      return answer ?? null;
    });
  };
  return { daemon, id, say };
}

it('answers with files that stay, and reads the conversation', async () => {
  const { daemon, id, say } = await start();
  expect(await say('Write down: remembered')).toMatchObject({ content: 'Noted.', ended_as: 'completed' });
  const directory = join(daemon.directory, 'home', 'foci', `chat-${id}`);
  expect(existsSync(join(directory, 'note.txt')), readdirSync(join(daemon.directory, 'home')).join()).toBe(true);
  expect(await say('What did I say?')).toMatchObject({ content: 'It says remembered.' });
  const calls = await pg.database.query<{ output: string }>(
    `select c.output from animus.tool_calls c join animus.foci f on f.id = c.focus_id where c.turn = 3 order by c.position`,
  );
  expect(calls[0]!.output).toContain('remembered');
  expect(calls[1]!.output).toMatch(/Write down: remembered[^]*Noted\.[^]*What did I say\?/);

  const foci = () =>
    pg.database.query<{ system: string; continues: string | null; told: string }>(
      `select s.system_prompt as system, f.continues, m.content as told from animus.foci f join animus.focus_settings s on s.id = f.settings_id
         join animus.focus_messages m on m.focus_id = f.id and m.kind = 'orient' order by f.started_at`,
    );
  const [first, second] = await foci();
  expect(first!.system).toContain('in a conversation with people');
  expect(first!.system).not.toContain('You work alone');
  expect(first!.told).toContain('The whole conversation can be read as the file "chats/talk.chat"');
  expect(second).toMatchObject({ system: first!.system, continues: expect.any(String) });
  expect(second!.told).toMatch(/^# Your last answer\n[^]*write_file \{"path":"note\.txt"[^]*# Message from /);

  daemon.write('faculties/assistant.toml', assistant('\n').replace('max_tokens = 8192', 'max_tokens = 4096'));
  await eventually('a new chain', async () => {
    await say('And now?');
    const newest = (await foci()).at(-1)!;
    return newest.continues === null ? newest : null;
  }).then(({ told }) =>
    expect(told).toMatch(/# What was said before\n[^]*Write down: remembered[^]*"faculty:assistant":\n~~~~~~\nNoted\./),
  );
});
