/** How `animus chat` tells faculties, commands and conversations apart, and what it does where there is no terminal. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandSite } from '../../../cli/work/command-site.ts';
import { answer } from '../../../store/conversations/begun.ts';
import { testDatabase } from '../../../support/database.ts';
import { eventually } from '../../../support/eventually.ts';

const target = testDatabase();
const { animus, directory } = commandSite(target);

const faculty = (name: string) =>
  `[faculty]\nname = "${name}"\ndescription = "x"\n[faculty.engage]\nmodel = "claude-sonnet-4-5"\nsystem_prompt = "x"\n`;
mkdirSync(join(directory, 'faculties'), { recursive: true });
for (const name of ['assistant', 'writer', 'list'])
  writeFileSync(join(directory, 'faculties', `${name}.toml`), faculty(name));

const conversation = (name: string) =>
  eventually('it was said', async () => {
    const [row] = await target.database.query<{ id: string }>(
      'select file_id as id from animus.conversations where faculty = $1',
      [name],
    );
    return row?.id ?? null;
  });

describe('standard input that is not a terminal', () => {
  test('is one message, and its answer goes to standard output', async () => {
    const asked = animus(['chat', 'writer'], { stdin: 'Summarise this:\none\n\ntwo\n' });
    const id = await conversation('writer');
    await answer(target.database, { id, faculty: 'writer' }, 'One and two.');
    expect(await asked).toEqual({
      code: 0,
      stdout: 'One and two.\n',
      stderr: `animus: to go on with the conversation: animus chat --resume ${id.slice(-12)}\n`,
    });
    const again = animus(['chat', '--resume', '--json'], { stdin: 'And three?' });
    await answerNext(id, 'writer', 'Three.');
    const { code, stdout } = await again;
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { chat: id, answer: { content: 'Three.' } }]);
    const said = await target.database.query<{ content: string }>(
      'select content from animus.conversation_messages($1)',
      [id],
    );
    expect(said.map(({ content }) => content)).toEqual([
      'Summarise this:\none\n\ntwo',
      'One and two.',
      'And three?',
      'Three.',
    ]);
  });

  test('exits 1 when there is no answer', async () => {
    const asked = animus(['chat', '--faculty', 'list'], { stdin: 'Hello?' });
    const id = await conversation('list');
    await eventually('it is cancelled', async () => {
      const rows = await target.database.query<{ id: string }>(
        `select animus.cancel_work(work_item_id) as id from animus.chat_messages where file_id = $1 and work_item_id is not null`,
        [id],
      );
      return rows.length > 0 || null;
    });
    expect(await asked).toMatchObject({ code: 1, stdout: expect.stringContaining('cancelled') });
  });

  async function answerNext(id: string, name: string, text: string): Promise<void> {
    await eventually('it was said', async () => {
      const rows = await target.database.query(
        `select from animus.chat_messages where file_id = $1 and role = 'user'`,
        [id],
      );
      return rows.length > 1 || null;
    });
    await answer(target.database, { id, faculty: name }, text, 2);
  }
});

describe('is refused', () => {
  test.each([
    ['without a text', ['chat'], '', 2, 'it is empty; to send a message: animus chat send'],
    [
      'a faculty that is not there',
      ['chat', 'writr'],
      'x',
      3,
      'no faculty named writr (did you mean writer?); known faculties: assistant, list, writer',
    ],
    ['a mistyped command', ['chat', 'lsit'], 'x', 3, '(did you mean list?)'],
    ['more than a faculty', ['chat', 'say', 'hello'], 'x', 2, 'too many arguments'],
    [
      'a conversation that is not there',
      ['chat', '--resume', 'abcd'],
      'x',
      3,
      'no conversation has the id or the title abcd',
    ],
    ['the latest of none', ['chat', 'assistant', '--resume'], 'x', 2, 'you have no conversation with assistant yet'],
  ])('%s', async (_what, argv, stdin, code, why) => {
    expect(await animus(argv, { stdin })).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(why) });
  });

  test.each([
    ['standard output that is not a terminal', {}, [], 'standard output is not one'],
    ['a dumb terminal', { terminal: 80, env: { TERM: 'dumb' } }, [], 'the terminal is a dumb one'],
    ['--json', { terminal: 80 }, ['--json'], '--json is for programs'],
  ])('%s, where a conversation needs a terminal', async (_what, options, more, why) => {
    const ran = await animus(['chat', ...more], { typed: [], ...options });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(why);
  });

  test('a title that several conversations have, where one is resumed', async () => {
    for (const title of ['Plans for May', 'Plans for June', 'Plans'])
      await animus(['chat', 'send', 'Hello?', '--faculty', 'writer', '--title', title]);
    const resume = (given: string) => animus(['chat', 'assistant', '--resume', given], { stdin: 'x' });
    expect((await resume('plans for')).stderr).toContain('several conversations have plans for in their title');
    // It is found, and has another faculty than the one that is named.
    for (const given of ['for may', 'PLANS']) expect((await resume(given)).stderr).toContain('is with writer');
    expect((await animus(['chat', 'delete', 'for may'])).stderr).toContain('"for may" is not the id of a conversation');
  });

  test('a faculty that is not that of the conversation', async () => {
    const { stdout } = await animus(['chat', 'send', 'Hello?', '--faculty', 'writer', '--json']);
    const { chat } = JSON.parse(stdout) as { chat: string };
    const ran = await animus(['chat', 'assistant', '--resume', chat], { stdin: 'x' });
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('is with writer') });
  });
});

test('a command comes before a faculty of its name', async () => {
  expect((await animus(['chat', 'list'])).code).toBe(0);
});
