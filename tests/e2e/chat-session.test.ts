/** Promise: `animus chat` on a real terminal, with a real daemon: it goes on when the daemon is killed, and leaves the terminal as it was. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LAUNCHER, makeSite, runAnimus, type Site, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { openTerminal } from '../support/terminal.ts';
import { createTerminalScreen } from '../support/terminal-screen.ts';

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

/** A session on a terminal of its own, whose modes are compared before and after. */
function openChat(site: Pick<Site, 'directory' | 'env'>, name: string, args = '', columns = 60) {
  const file = (what: string) => join(site.directory, `${name}-${what}`);
  const script = file('run');
  writeFileSync(
    script,
    `tty > ${file('tty')}; stty -g > ${file('before')}; ${process.execPath} ${LAUNCHER} chat ${args}; code=$?; stty -g > ${file('after')}; exit $code\n`,
  );
  const terminal = openTerminal(`sh ${script}`, { columns, cwd: site.directory, env: { ...site.env } });
  const screen = createTerminalScreen(columns);
  let shown = 0;
  const rows = () => {
    screen.write(terminal.written().slice(shown));
    shown = terminal.written().length;
    return screen.rows();
  };
  const sees = (text: string) =>
    eventually('it is there', () => rows().some((row) => row.includes(text)) || null).catch(() => {
      throw new Error(`${text} is not on the terminal:\n${rows().join('\n')}`);
    });
  return {
    terminal,
    rows,
    sees,
    type: terminal.type,
    resize(next: number) {
      rows();
      screen.resize(next);
      execFileSync('stty', ['-F', readFileSync(file('tty'), 'utf8').trim(), 'cols', String(next)]);
    },
    async leaves() {
      expect(await terminal.ended).toBe(0);
      expect(readFileSync(file('after'), 'utf8')).toBe(readFileSync(file('before'), 'utf8'));
      expect(terminal.written().lastIndexOf('\u001b[?2004l')).toBeGreaterThan(
        terminal.written().lastIndexOf('\u001b[?2004h'),
      );
    },
  };
}

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
}, 120_000);

test('a daemon that is killed in the middle of an answer: the session goes on with the next one, and says each word once', async () => {
  const site = siteOn(target.connectionString);
  const daemon = await startDaemon(site);
  const chat = openChat(site, 'killed', '', 80);
  await chat.sees('assistant answers.');
  chat.type('tell a long story\r');
  await chat.sees('word5');
  await daemon.kill('SIGKILL');
  // Another session joins in the middle, and sees the whole answer, too.
  const other = openChat(site, 'joined', '--resume', 80);
  await other.sees('> tell a long story'.slice(2));
  await startDaemon(site);
  await chat.sees('word29 日本');
  await other.sees('word29 日本');
  for (const one of [chat, other]) {
    const again = one.rows().join(' ').split('the answer begins again:').at(-1)!;
    expect(again.match(/word\d+ 日本/g)).toEqual(Array.from({ length: 30 }, (_, n) => `word${n} 日本`));
    one.type('\u0004');
    await one.leaves();
  }
}, 120_000);

test('a session that joins in the middle of an answer shows it from its beginning, before it is recorded', async () => {
  const site = siteOn(target.connectionString);
  await startDaemon(site);
  const first = openChat(site, 'first-of-two', '', 80);
  await first.sees('assistant answers.');
  first.type('tell a long story\r');
  await first.sees('word5');
  const other = openChat(site, 'joins', '--resume', 80);
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
}, 120_000);

test('on the embedded database without a daemon, the session is one; the next session takes over when it leaves', async () => {
  const site = siteOn();
  const first = openChat(site, 'first');
  await first.sees('this session is one until it ends');
  first.type('Hi\r');
  await first.sees('Hello.');
  const second = openChat(site, 'second', '--resume');
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
