/** `animus chat`, with answers that a test gives in place of a daemon. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandSite } from '../../../cli/work/command-site.ts';
import { answer } from '../../../store/conversations/begun.ts';
import { testDatabase } from '../../../support/database.ts';
import { eventually } from '../../../support/eventually.ts';

const target = testDatabase();
const { animus, directory } = commandSite(target);

async function json<T = Record<string, unknown>>(...argv: string[]): Promise<T> {
  const { code, stdout, stderr } = await animus([...argv, '--json']);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as T;
}
interface Sent {
  readonly chat: string;
  readonly message: number;
  readonly message_id: number;
}
const send = (...argv: string[]) => json<Sent>('chat', 'send', ...argv);

test('says something, and continues by the end of the id', async () => {
  const { chat } = await send('Hello?', '--faculty', 'host', '--title', 'Greeting');
  await answer(target.database, { id: chat, faculty: 'host' }, 'Hello.');
  const again = await send('How are you?', '--to', chat.slice(-12));
  expect(again.chat).toBe(chat);
  const waiting = animus(['chat', 'retry', chat, String(again.message), '--wait']);
  await eventually('the message was put again', async () => {
    const [row] = await target.database.query('select from animus.chat_messages where replaces = $1', [
      again.message_id,
    ]);
    return row ?? null;
  });
  await answer(target.database, { id: chat, faculty: 'host' }, 'Fine.', 2);
  expect(await waiting).toMatchObject({ code: 0, stdout: expect.stringContaining('Fine.') });
  const shown = (await animus(['chat', 'show', chat])).stdout;
  expect(shown).toMatch(
    /^# Greeting\n\nA conversation with host\.\n\n## 1 · user · \S+ · [\d-]+ [\d:]+ UTC\n\nHello\?\n\n## 2 · assistant · faculty:host · .* UTC\n\nHello\.\n/,
  );
  expect((await animus(['chat', 'list'])).stdout).toContain(`${chat.slice(-12)}  `);
});

test('edits, deletes a message, invites, and deletes the whole', async () => {
  const { chat, message } = await send('first words', '--faculty', 'other');
  const edited = await json<Sent>('chat', 'edit', chat, String(message), 'better words');
  expect((await animus(['chat', 'show', chat])).stdout).toContain('better words');
  const { message: after } = await send('and then', '--to', chat);
  expect(await json('chat', 'show', chat, '--last', '1')).toMatchObject({ messages: [{ number: after }] });
  expect((await animus(['chat', 'show', chat, '--last', '1'])).stdout).toMatch(/and then/);
  await json('chat', 'delete', chat, '--message', String(after));
  await json('chat', 'delete', chat, '--message', String(edited.message));
  expect((await animus(['chat', 'show', chat])).stdout).not.toContain('words');
  expect(await json('chat', 'invite', chat, 'person:alice')).toMatchObject({ changed: true });
  expect(await json('chat', 'invite', chat, 'person:alice', '--remove')).toMatchObject({ changed: true });
  // A name as which nobody can act is a mistake.
  expect(await animus(['chat', 'invite', chat, 'alice'])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/no login of the database is named alice.*person:alice/s),
  });
  await animus(['person', 'set', 'carl', '--role', 'reader']);
  await animus(['person', 'disable', 'carl']);
  for (const nobody of ['person:carl', 'person:*', 'person:']) {
    expect((await animus(['chat', 'invite', chat, nobody])).stderr).toContain(`nobody may use animus as ${nobody}`);
  }
  await json('chat', 'delete', chat);
  expect(await animus(['chat', 'show', chat])).toMatchObject({
    code: expect.any(Number),
    stdout: '',
    stderr: expect.stringContaining('no conversation'),
  });
});

test('numbers of messages begin at 1 in each conversation, and name nothing of another one', async () => {
  const one = await send('One', '--faculty', 'n-one');
  const two = await send('Two', '--faculty', 'n-two');
  expect([one.message, two.message]).toEqual([1, 1]);
  await answer(target.database, { id: two.chat, faculty: 'n-two' }, 'Answer.');
  const edited = await json<Sent>('chat', 'edit', two.chat, '1', 'Two, please');
  expect(edited.message).toBe(3);
  await json('chat', 'delete', two.chat, '--message', '3');
  expect((await send('Three', '--to', two.chat)).message).toBeGreaterThan(3);
  expect((await animus(['chat', 'show', one.chat])).stdout).toContain('## 1 · user');
  for (const [number, why] of [
    ['2', 'the conversation has no message 2; animus chat show prints the numbers'],
    ['x', '"x" is not the number of a message'],
  ] as const) {
    const { code, stderr } = await animus(['chat', 'retry', one.chat, number]);
    expect(code).not.toBe(0);
    expect(stderr).toContain(why);
  }
});

test('attaches files, which come with the message', async () => {
  writeFileSync(join(directory, 'note.txt'), 'a note');
  const { chat } = await send('Read this', '--faculty', 'third', '--attach', 'note.txt');
  const { messages } = await json<{ messages: { attachments: unknown }[] }>('chat', 'show', chat);
  expect(messages[0]!.attachments).toMatchObject([{ name: 'note.txt', bytes: 6 }]);
});

describe('export and import', () => {
  test.each(['jsonl', 'markdown'])('%s: the messages come back as they were', async (format) => {
    const { chat } = await send(
      '# a heading\n\n## 7 · user · x · 2026-01-01 00:00:00 UTC\n\\## one\n\n',
      '--faculty',
      `f-${format}`,
    );
    await answer(target.database, { id: chat, faculty: `f-${format}` }, '\nan answer\n\nof lines\n');
    await send('last', '--to', chat);
    const { stdout } = await animus(['chat', 'export', chat, '--format', format]);
    const file = join(directory, `talk.${format}`);
    writeFileSync(file, stdout);
    const { chat: copy, messages } = await json<{ chat: string; messages: number }>(
      'chat',
      'import',
      file,
      '--faculty',
      'host',
    );
    expect(messages).toBe(3);
    const contents = async (id: string) =>
      (await json<{ messages: { role: string; content: string }[] }>('chat', 'show', id)).messages.map(
        ({ role, content }) => [role, content],
      );
    expect(await contents(copy)).toEqual(await contents(chat));
  });

  test('a file without messages is refused', async () => {
    expect(await animus(['chat', 'import', '-'], { stdin: 'nothing' })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no messages'),
    });
  });
});

test.each([
  [['chat', 'show', 'zz'], '"zz" is not the id of a conversation'],
  [['chat', 'retry', 'zz', '1'], '"zz" is not the id of a conversation'],
  [['chat', 'send', ' '], 'needs a text'],
])('%j is refused', async (argv, why) => {
  const { code, stderr } = await animus(argv);
  expect(code).not.toBe(0);
  expect(stderr).toContain(why);
});

test('notes that nobody answers in a conversation with a faculty that does not exist', async () => {
  const { code, stderr } = await animus(['chat', 'send', 'Hello?', '--faculty', 'thrid']);
  expect(code).toBe(0);
  expect(stderr).toContain('no faculty is named thrid');
});
