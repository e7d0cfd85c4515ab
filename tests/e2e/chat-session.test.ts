/** Promise: `animus chat` on a real terminal, with a real daemon: it goes on when the daemon is killed, and leaves the terminal as it was. */
import { expect, test } from 'vitest';
import { openChat } from '../support/chat-terminal.ts';
import { makeSite, runAnimus, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';

const target = testDatabase();

const CONFIG = `
[daemon]
lease_seconds = 5
[providers.script]
kind = "scripted"
script = "script.toml"
`;
const FACULTY = `
[faculty]
name = "assistant"
description = "Talks"
[faculty.engage]
model = "script/x"
system_prompt = "You talk."
tools = ["bash"]
[faculty.permissions]
bash = "ask"
[faculty.awareness]
enabled = false
`;
const LONG = Array.from({ length: 30 }, (_, n) => `word${n} 日本`).join(' ');
const SCRIPT = `
[[answer]]
when = { contains = "a long story" }
text = "${LONG}"
piece_delay_ms = 250
[[answer]]
when = { contains = "a slow story" }
text = "${LONG}"
piece_delay_ms = 700
[[answer]]
when = { contains = "push it" }
text = "I push."
[[answer.call]]
tool = "bash"
input = { command = "echo pushed" }
[[answer]]
when = { contains = "pushed" }
text = "It is done."
[[answer]]
when = { matches = "." }
text = "Hello."
`;

const siteOn = (databaseUrl?: string) =>
  makeSite({
    ...(databaseUrl !== undefined && { databaseUrl }),
    modelUrl: null,
    config: CONFIG,
    faculties: { assistant: FACULTY },
    files: { 'script.toml': SCRIPT, 'note.txt': 'a note' },
  });

test('a conversation: files, a decision, another wording, and an answer that is stopped', async () => {
  const site = siteOn(target.connectionString);
  await startDaemon(site);
  const chat = openChat(site, 'one');
  await chat.sees('assistant answers.');
  chat.type('Hi\r');
  await chat.sees('Hello.');
  chat.type('/attach note.txt\r');
  await chat.sees('1 file with the next message');
  chat.type('please push it\r');
  await chat.sees('│ command: echo pushed');
  await chat.sees('y/n>');
  chat.type('y go on\r');
  await chat.sees('approved by');
  await chat.sees('It is done.');
  chat.type('/edit\r');
  await chat.sees('edit 3> please push it');
  chat.type('\u0015tell a long story\r');
  await chat.sees('word3');
  chat.resize(40);
  await chat.sees('word8');
  chat.type('\u0003');
  await chat.sees('the answer was stopped');
  expect(chat.rows().join('\n')).not.toContain('word29');
  chat.type('\u0003');
  await chat.leaves();
  const { stdout } = await runAnimus(site, ['chat', 'list', '--json']);
  const { chats } = JSON.parse(stdout) as { chats: { id: string }[] };
  expect(chat.terminal.written()).toContain(`animus chat --resume ${chats[0]!.id.slice(-12)}`);
}, 180_000);

test('a daemon that is killed in the middle of an answer: the session goes on with the next one, and says each word once', async () => {
  const site = siteOn(target.connectionString);
  const daemon = await startDaemon(site);
  const chat = openChat(site, 'killed', { columns: 80 });
  await chat.sees('assistant answers.');
  chat.type('tell a long story\r');
  await chat.sees('word5');
  await daemon.kill('SIGKILL');
  // Another session joins in the middle, and sees the whole answer, too.
  const other = openChat(site, 'joined', { args: '--resume', columns: 80 });
  await other.sees('> tell a long story'.slice(2));
  await startDaemon(site);
  await chat.sees('word29 日本');
  await other.sees('word29 日本');
  for (const one of [chat, other]) {
    const again = one
      .rows()
      .join(' ')
      .split(/the answer begins again:|its attempt was lost/)
      .at(-1)!;
    expect(again.match(/word\d+ 日本/g)).toEqual(Array.from({ length: 30 }, (_, n) => `word${n} 日本`));
    one.type('\u0004');
    await one.leaves();
  }
}, 180_000);

test('Ctrl-Z gives the terminal to the shell, and fg goes on; the end of the terminal ends the session', async () => {
  const site = siteOn(target.connectionString);
  const chat = openChat(site, 'stopped', { job: true });
  await chat.sees('assistant answers.');
  chat.type('half a line\u001a');
  await chat.sees('the shell has the terminal');
  expect(chat.modes('stopped')).toBe(chat.modes('before'));
  chat.type('\n');
  await eventually('the line is there again', () => chat.rows().at(-1) === '> half a line' || null);
  expect(chat.modes('now')).not.toBe(chat.modes('before'));
  chat.hangUp();
  expect(await chat.terminal.ended).toBe(143);
  expect(chat.modes('after')).toBe(chat.modes('before'));
}, 180_000);

test('a session that joins in the middle of an answer shows it from its beginning, before it is recorded', async () => {
  const site = siteOn(target.connectionString);
  await startDaemon(site);
  const first = openChat(site, 'first-of-two', { columns: 80 });
  await first.sees('assistant answers.');
  first.type('tell a slow story\r');
  await first.sees('word5');
  const other = openChat(site, 'joins', { args: '--resume', columns: 80 });
  await other.sees('word0 日本 word1');
  expect(first.rows().join(' ')).not.toContain('word29');
  expect(first.rows().join(' ')).not.toContain('begins again');
  for (const one of [first, other]) {
    await one.sees('word29 日本');
    expect(
      one
        .rows()
        .join(' ')
        .match(/word\d+ 日本/g),
    ).toHaveLength(30);
    one.type('\u0004');
    await one.leaves();
  }
}, 180_000);

test('on the embedded database without a daemon, the session is one; the next session takes over when it leaves', async () => {
  const site = siteOn();
  const first = openChat(site, 'first');
  await first.sees('this session is one until it ends');
  first.type('Hi\r');
  await first.sees('Hello.');
  const second = openChat(site, 'second', { args: '--resume' });
  await second.sees('Hello.');
  expect(second.rows().join('\n')).not.toContain('this session is one');
  second.type('tell a long story\r');
  await first.sees('word3');
  first.type('/quit\r');
  await first.leaves();
  expect(first.terminal.written()).toContain('continues when a daemon runs again');
  await second.sees('this session runs one now');
  await second.sees('word29 日本');
  second.type('/quit\r');
  await second.leaves();
  const asked = await eventually('nobody has the database', async () => {
    const { exit, stdout } = await runAnimus(site, ['chat', 'list']);
    return exit === 0 ? stdout : null;
  });
  expect(asked).toContain('assistant');
}, 180_000);
