/** The interactive `animus chat`, with answers that a test gives in place of a daemon. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sayInConversation } from '../../../../src/features/conversations/store/messages.ts';
import { answer, beginAnswer, endAnswer, newTalk, recordText } from '../../../store/conversations/begun.ts';
import { testDatabase } from '../../../support/database.ts';
import { eventually } from '../../../support/eventually.ts';
import { startPostgresProxy } from '../../../support/postgres-proxy.ts';
import { bottom, CTRL_C, chatSite, paste } from './driven-session.ts';

const target = testDatabase();
const { chat, directory, begun, conversationOf, piece, messages, newFaculty } = chatSite(target);
const db = () => target.database;

describe('a session', () => {
  test('shows an answer as it comes, each character once, and then the next one', async () => {
    const { session, id, faculty } = await begun('What is new?');
    const work = await beginAnswer(db(), { id, faculty });
    await session.sees(`${faculty} is answering`);
    await piece(work, 0, 'Not much: 日本');
    await session.sees('Not much: 日本');
    session.type('And then?\r');
    await session.sees('next: And then?');
    await piece(work, 12, '語 and \u001b[31mmore');
    await endAnswer(db(), work, 'Not much: 日本語 and \u001b[31mmore.');
    await session.sees('more.');
    await answer(db(), { id, faculty }, 'Nothing.', 2);
    await session.sees('Nothing.');
    await eventually('all is said', () => (bottom(session) === '>' ? true : null));
    const rows = session.rows().join('\n');
    expect(rows.match(/Not much/g)).toHaveLength(1);
    expect(rows).toContain('語 and \\x1b[31mmore.');
    expect(rows.match(/Nothing\./g)).toHaveLength(1);
    session.type('/quit\r');
    expect(await session.ended).toBe(0);
    expect(session.written().endsWith(`To go on with the conversation: animus chat --resume ${id.slice(-12)}\n`)).toBe(
      true,
    );
    expect(session.written()).toContain('\u001b[?2004l');
  });

  test('Ctrl-C clears the line, stops the answer, and twice leaves', async () => {
    const { session, id, faculty } = await begun();
    const work = await beginAnswer(db(), { id, faculty });
    await session.sees('is answering');
    session.type(`half a line${CTRL_C}`);
    await eventually('the line is cleared', () => (bottom(session) === '>' ? true : null));
    session.type(CTRL_C);
    await session.sees('stopping the answer');
    await eventually('it is cancelled', async () => {
      const [row] = await db().query<{ asked: boolean }>(
        'select cancel_requested_at is not null as asked from animus.work_items where id = $1',
        [work.id],
      );
      return row?.asked || null;
    });
    session.type(CTRL_C);
    expect(await session.ended).toBe(0);
    expect(session.written()).toContain('The running answer goes on.');
  });

  test('Ctrl-C twice at an empty prompt leaves, and nothing was begun', async () => {
    const session = chat(['nobody-asked']);
    await session.sees('answers.');
    session.type(CTRL_C);
    await session.sees('Ctrl-C again leaves');
    session.type(CTRL_C);
    expect(await session.ended).toBe(0);
    expect(await db().query(`select from animus.conversations where faculty = 'nobody-asked'`)).toEqual([]);
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('%s ends it, and gives the terminal back', async (signal) => {
    const session = chat(['somebody']);
    await session.sees('answers.');
    expect(session.raw).toBe(true);
    session.signal(signal);
    expect(await session.ended).toBe(130);
    expect(session.raw).toBe(false);
  });

  test('edits the last message, asks again, deletes, exports', async () => {
    const { session, id, faculty } = await begun('first words');
    await answer(db(), { id, faculty }, 'One.');
    await session.sees('One.');
    await session.sees(/^>$/);
    session.type('/edit\r');
    await session.sees(/^edit \d+> first words$/);
    session.type('\u0017better\r');
    await session.sees('in place of');
    await answer(db(), { id, faculty }, 'Two.');
    await session.sees('Two.');
    session.type('/retry\r');
    await session.sees('asked again');
    await answer(db(), { id, faculty }, 'Three.');
    await session.sees('Three.');
    expect(await messages(id)).toEqual([
      { role: 'user', content: 'first better' },
      { role: 'assistant', content: 'Three.' },
    ]);
    session.type('/export talk.md\r');
    await session.sees('written to talk.md');
    session.type('/history\r');
    const rows = await session.sees(/^\d+ · f[0-9a-f]+$/);
    const number = /^(\d+) · f[0-9a-f]+/.exec(rows.findLast((row) => / · f[0-9a-f]+$/.test(row)) ?? '')![1];
    session.type(`/delete ${number}\r`);
    await session.sees(`message ${number} is deleted`);
    session.type('/nonsense\r');
    await session.sees('there is no command /nonsense');
    expect(await messages(id)).toEqual([{ role: 'user', content: 'first better' }]);
  });

  test('attaches files to the next message', async () => {
    writeFileSync(join(directory, 'note.txt'), 'a note');
    const faculty = newFaculty();
    const session = chat([faculty]);
    await session.sees('answers.');
    session.type('/attach nothing-here\r');
    await session.sees('there is no such file');
    session.type('/attach note.txt\r');
    await session.sees('[1] >');
    session.type('Read it\r');
    const id = await conversationOf(faculty);
    const [row] = await db().query('select attachments from animus.conversation_messages($1)', [id]);
    expect(row).toMatchObject({ attachments: [{ name: 'note.txt', bytes: 6 }] });
    await eventually('the files are gone', () => (bottom(session)?.startsWith('[') ? null : true));
  });

  test('Tab completes commands and files, shows what there is to choose from, and is space in a message', async () => {
    writeFileSync(join(directory, 'plan one.txt'), '1');
    writeFileSync(join(directory, 'plan two.txt'), '2');
    const session = chat([newFaculty()]);
    await session.sees('answers.');
    session.type('/att\t');
    await session.sees('> /attach');
    session.type('pl\t');
    await session.sees('> /attach plan');
    session.type('\t');
    await session.sees(/^plan one\.txt {2}plan two\.txt$/);
    session.type('o\t\r');
    await session.sees('1 file with the next message');
    session.type('a\tb');
    await session.sees('[1] > a  b');
  });

  test('a paste of several lines is one message, which Enter sends', async () => {
    const faculty = newFaculty();
    const session = chat([faculty]);
    await session.sees('answers.');
    session.type(paste('one\rtwo\r\nthree\u001b[2J'));
    await session.sees('  two');
    expect(await db().query('select from animus.conversations where faculty = $1', [faculty])).toEqual([]);
    session.type('\r');
    const [said] = await messages(await conversationOf(faculty));
    expect(said!.content).toBe('one\ntwo\nthree[2J');
  });
});

describe('a session that is resumed', () => {
  test('shows what was said, and the answer under way from its beginning', async () => {
    const talk = await newTalk(db());
    for (const n of [1, 2, 3, 4, 5, 6]) {
      await sayInConversation(db(), talk.id, `question ${n}`);
      await answer(db(), talk, `answer ${n}`, n);
    }
    await sayInConversation(db(), talk.id, 'question 7');
    const work = await beginAnswer(db(), talk);
    await recordText(db(), work, 7, 'I begin.');
    const session = chat([talk.faculty, '--resume']);
    await session.sees('I begin.');
    const rows = session.rows().join('\n');
    expect(rows).toContain('… 3 earlier messages: /history all');
    expect(rows).not.toContain('question 1');
    expect(rows).toContain('question 7');
    await endAnswer(db(), work, 'And end.', 8);
    await session.sees('And end.');
    expect(
      session
        .rows()
        .join('\n')
        .match(/I begin\./g),
    ).toHaveLength(1);
    session.type('/history all\r');
    await session.sees('question 1');
  });

  test('two sessions show what is said in each other', async () => {
    const { session, id, faculty } = await begun('from the first');
    await answer(db(), { id, faculty }, 'One.');
    await session.sees('One.');
    const other = chat(['--resume', id.slice(-12)]);
    await other.sees('from the first');
    other.type('from the other\r');
    await session.sees('from the other');
    await answer(db(), { id, faculty }, 'Two.', 2);
    for (const one of [session, other]) {
      await one.sees('Two.');
      expect(one.rows().join('\n').match(/Two\./g)).toHaveLength(1);
      expect(
        one
          .rows()
          .join('\n')
          .match(/from the other/g),
      ).toHaveLength(1);
    }
  });

  test('goes on after a lost connection, without a gap and without a repetition', async () => {
    const proxy = await startPostgresProxy(target.connectionString);
    const talk = await newTalk(db());
    await sayInConversation(db(), talk.id, 'question');
    const work = await beginAnswer(db(), talk);
    const session = chat(['--resume', talk.id], { url: proxy.url });
    await session.sees('is answering');
    await recordText(db(), work, 1, 'Before.');
    await session.sees('Before.');
    proxy.cut();
    await session.sees('cannot be reached');
    await recordText(db(), work, 2, 'Meanwhile.');
    session.type('lost words\r');
    await session.sees('> lost words');
    proxy.mend();
    await session.sees('Meanwhile.');
    await endAnswer(db(), work, 'After.', 3);
    await session.sees('After.');
    const rows = session.rows().join('\n');
    for (const text of ['Before.', 'Meanwhile.', 'After.']) expect(rows.split(text)).toHaveLength(2);
  });
});

test('a terminal that changes its size keeps what was printed, and one line to type on', async () => {
  const { session, id, faculty } = await begun(
    'A question that is long enough to be wrapped on a narrow terminal, and then some',
  );
  const work = await beginAnswer(db(), { id, faculty });
  await piece(work, 0, 'Words that come '.repeat(10));
  await session.sees('Words that come');
  session.type('typed meanwhile');
  for (const columns of [40, 100, 25]) session.resize(columns);
  await piece(work, 160, 'and end.');
  await endAnswer(db(), work, `${'Words that come '.repeat(10)}and end.`);
  await session.sees('end.');
  const rows = session.rows();
  expect(rows.filter((row) => row.startsWith('> typed meanwhile'))).toHaveLength(1);
  expect(rows.join(' ').match(/Words that come/g)).toHaveLength(10);
});
