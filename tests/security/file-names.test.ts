/** Names of files are checked once, where they enter, at every door: none leads elsewhere, none looks like another. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandSite } from '../cli/work/command-site.ts';
import { chatOf } from '../features/conversations/operations/conversation-driver.ts';
import { attach } from '../store/work/attached-file.ts';
import { insertWork } from '../store/work/queue-driver.ts';
import { testApi } from '../support/api.ts';
import { beginFocus } from '../support/begun-focus.ts';
import { testDatabase } from '../support/database.ts';

const target = testDatabase();
const db = () => target.database;
const { start, owner } = testApi();
const { animus, directory } = commandSite(target);

/** None of these becomes the name of a file. */
const HOSTILE = [
  '',
  '.',
  '..',
  '...',
  '../../etc/passwd',
  '/etc/passwd',
  'a/b.txt',
  '..\\..\\windows\\system.ini',
  'C:\\autoexec.bat',
  'a\nb.txt',
  'a\tb.txt',
  'a\u001b[2Jb.txt',
  'invoice\u202etxt.exe',
  'a\u200bb.txt',
  'a\u2028b.txt',
  '\ufeffa.txt',
  'a.txt.',
  'a.txt ',
  ' a.txt',
  'CON',
  'nul.txt',
  'Aux.tar.gz',
  'com1',
  'LPT9.log',
  'x'.repeat(256),
  'é'.repeat(128),
];
const FINE = [
  'a.txt',
  '.env',
  'Überblick 1.md',
  '世界.txt',
  'null.txt',
  'console.log',
  'a..b',
  'x'.repeat(255),
  "it's; rm -rf.txt",
];
const TEXT = Buffer.from('text\n');
const base64 = TEXT.toString('base64');

describe.each(HOSTILE)('%j', (name) => {
  test('is refused by attach_file, keep_file and the paths of conversations', async () => {
    const id = await insertWork(db());
    await expect(attach(db(), id, name, TEXT)).rejects.toMatchObject({ code: 'work.invalid' });
    const work = await beginFocus(db());
    const [kept] = await db().query<{ problem: string | null }>(
      `select problem from animus.keep_file($1, $2, animus.uuid_v7(), $3, 'x')`,
      [work.key.focusId, work.leaseToken, name],
    );
    expect(kept!.problem).toMatch(/^its name /);
    const [space] = await db().query<{ id: string }>(`select animus.create_workspace('w') as id`);
    // A path has parts, so that this one is fine.
    if (name === 'a/b.txt') return;
    await expect(
      db().query(`select animus.start_conversation($1, 'clerk', $2)`, [space!.id, `${name}/x.chat`]),
    ).rejects.toThrow();
    expect(await db().query('select from animus.artifacts where name = $1', [name])).toEqual([]);
  });
});

test('text with NUL is refused, too', async () => {
  const id = await insertWork(db());
  await expect(attach(db(), id, 'a\0b.txt', TEXT)).rejects.toThrow();
});

test('over HTTP they are refused with work, with a message of a conversation, and nothing is submitted', async () => {
  const api = await start();
  const chat = await chatOf(api, 'alice');
  const before = await owner().query('select count(*) from animus.work_items');
  for (const name of HOSTILE) {
    const attachments = [{ name, content: base64 }];
    const work = await api.call('alice', 'POST', '/work', { body: { faculty: 'clerk', attachments } });
    const said = await api.call('alice', 'POST', chat.path, { body: { content: 'Look', attachments } });
    // The schema of the request refuses what is empty or too long.
    const status = name === '' || name.length > 255 ? 400 : 422;
    expect([name, work.status, said.status]).toEqual([name, status, status]);
  }
  expect(await owner().query('select count(*) from animus.work_items')).toEqual(before);
});

test('on the command line, files that have such a name are refused', async () => {
  for (const name of ['a\nb.txt', 'invoice\u202etxt.exe', 'a.txt.', 'nul.txt', '..\\x.txt']) {
    writeFileSync(join(directory, name), 'text\n');
    const argv = ['work', 'submit', 'clerk', 'x', '--attach', join(directory, name)];
    const { code, stderr } = await animus(argv);
    expect([name, code]).toEqual([name, 2]);
    expect(stderr).toContain('an attachment is refused: its name ');
    expect(stderr).not.toContain('\u202e');
  }
});

test.each(FINE)('%j is the name of a file', async (name) => {
  const id = await insertWork(db());
  await attach(db(), id, name, TEXT);
  expect(await db().query('select name from animus.artifacts where work_item_id = $1', [id])).toEqual([{ name }]);
});

test('names that differ in case or Unicode form only are told apart by a number', async () => {
  const id = await insertWork(db());
  for (const name of ['é.txt', 'e\u0301.txt', 'a.txt', 'A.TXT', 'a', 'A', 'é-2.txt'])
    await attach(db(), id, name, TEXT);
  const rows = await db().query<{ name: string }>(
    'select name from animus.artifacts where work_item_id = $1 order by id',
    [id],
  );
  expect(rows.map(({ name }) => name)).toEqual(['é.txt', 'é-2.txt', 'a.txt', 'A-2.TXT', 'a', 'A-2', 'é-2-2.txt']);
});
