/** Promise: a message is shown later as it was when it was said: whose it is, and which files came with it. */
import { expect, test } from 'vitest';
import { showHistory } from '../../../../src/features/conversations/session/message-view.ts';
import type { ConversationMessage } from '../../../../src/features/conversations/store/message.ts';
import { createOutput } from '../../../../src/terminal/view/output.ts';

test('own messages are those of you, and those of others have their names', () => {
  let text = '';
  const stream = { isTTY: false, columns: 80, write: (more: string) => void (text += more) };
  const message = (number: number, author: string, role: 'user' | 'assistant' = 'user') =>
    ({
      id: String(number),
      number,
      author,
      role,
      content: 'Hi.',
      told: false,
      replaces_number: null,
      ended_as: null,
    }) as ConversationMessage;
  const messages = [message(1, 'postgres'), message(2, 'faculty:postgres', 'assistant'), message(3, 'person:bob')];
  const output = createOutput({ stdout: stream, stderr: stream, env: {}, json: false });
  showHistory(output, messages, { actor: 'postgres' });
  expect(text.split('\n').filter((line) => line.includes(' · '))).toEqual([
    '1 · you',
    '2 · postgres',
    '3 · person:bob',
  ]);
});
