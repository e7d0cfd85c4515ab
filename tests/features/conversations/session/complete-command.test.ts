/** What Tab offers in a session. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { completeCommand } from '../../../../src/features/conversations/session/complete-command.ts';
import { openConversation } from '../../../../src/features/conversations/session/conversation.ts';
import type { ConversationMessage } from '../../../../src/features/conversations/store/message.ts';
import { temporaryHome } from '../../../support/database.ts';

const home = temporaryHome();
const cwd = join(home, 'project');
mkdirSync(join(cwd, 'src'), { recursive: true });
for (const name of ['notes.md', 'with space.txt', '.hidden', 'bad\u001b[2Jname', 'src/a.ts', '日本.txt'])
  writeFileSync(join(cwd, name), '');

const message = (number: number, role: 'user' | 'assistant', author: string) =>
  ({ id: String(number + 100), number, role, author, told: false }) as ConversationMessage;
const conversation = openConversation('assistant', 'default', 'id');
conversation.messages = [
  message(3, 'user', 'ann'),
  message(4, 'assistant', 'faculty:assistant'),
  message(5, 'user', 'bob'),
];

async function offered(typed: string): Promise<string[] | null> {
  const means = { conversation, cwd, home, actor: 'ann', faculties: () => Promise.resolve(['assistant', 'writer']) };
  const found = await completeCommand(means, typed);
  const begun = typed.slice(found?.from ?? 0);
  return found === null ? null : found.words.filter((word) => word.startsWith(begun));
}

test.each([
  ['/att', ['/attach']],
  ['/attach ', ['notes.md', 'src/', 'with space.txt', '日本.txt']],
  ['/attach src/', ['src/a.ts']],
  ['/attach with s', ['with space.txt']],
  ['/attach .h', ['.hidden']],
  ['/attach ~/pro', ['~/project/']],
  ['/attach no', ['notes.md', 'none']],
  ['/attach nowhere/', []],
  ['/edit ', ['3']],
  ['/delete ', ['3', '4', '5', 'conversation']],
  ['/faculty w', ['writer']],
  ['/while ', ['queue', 'tell']],
  ['/title ', []],
  ['/constructor ', []],
  ['words', null],
  ['//attach ', null],
])('%s', async (typed, words) => {
  expect(await offered(typed)).toEqual(words);
});
