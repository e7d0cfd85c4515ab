/** Promise: files that come with messages are files of the workspace: at a harmless path, for the answers of their branch, through edits and retries, and gone with their message. */
import { expect, test } from 'vitest';
import { deleteConversation, setParticipant } from '../../../src/features/conversations/store/conversations.ts';
import {
  attachToMessage,
  deleteMessage,
  editMessage,
  retryMessage,
  sayInConversation,
} from '../../../src/features/conversations/store/messages.ts';
import { parseExport } from '../../../src/features/conversations/store/parse-export.ts';
import { readConversation } from '../../../src/features/conversations/store/read-messages.ts';
import {
  createWorkspace,
  readVirtualFile,
  readWorkspaceFile,
} from '../../../src/features/conversations/store/workspaces.ts';
import { readAnswerStart, readNewestWords } from '../../../src/store/conversations/answer-start.ts';
import { filesOfAnswer } from '../../../src/store/conversations/files-of-answer.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import { readArtifact } from '../../../src/store/transcript/artifacts.ts';
import { addAttachment, readAttachments } from '../../../src/store/transcript/attachments.ts';
import { readChildren } from '../../../src/store/transcript/children.ts';
import { completeWork } from '../../../src/store/work/work.ts';
import { testDatabase } from '../../support/database.ts';
import { png } from '../../support/media-files.ts';
import { createLogin, dropLogins } from '../../support/role-login.ts';
import { answer, beginAnswer, newTalk, recordText, type Talk } from './begun.ts';

const target = testDatabase();
const db = () => target.database;

/** A conversation in a workspace of its own. */
const talkAt = async (path: string) => newTalk(db(), { workspaceId: await createWorkspace(db(), path), path });

async function sayWith(talk: Talk, text: string, files: Readonly<Record<string, string | Buffer>>) {
  return db().transaction(async (tx) => {
    const said = await sayInConversation(tx, talk.id, text);
    for (const [name, content] of Object.entries(files))
      await attachToMessage(tx, said.workItemId, { name, content: Buffer.from(content) });
    return said;
  });
}

const pathsFor = async (workItemId: string) => (await filesOfAnswer(db(), workItemId).list()).map(({ path }) => path);
const attachedFor = async (workItemId: string) =>
  (await pathsFor(workItemId)).filter((path) => !path.endsWith('.chat')).toSorted();
const idOf = async (path: string) =>
  (await db().query<{ id: string }>('select id from animus.files where path = $1 order by created_at desc', [path]))[0]!
    .id;

test('a file has a harmless path of its own beside the conversation', async () => {
  const talk = await talkAt('hostile/names.chat');
  const names = ['a.txt', 'é.txt', `${'n'.repeat(250)}.txt`, 'talk.chat'];
  for (const name of ['../../etc/passwd', '..', 'C:\\boot.ini', 'a/b.txt', '\u202egnp.exe', 'x\u200b.txt', ' s ']) {
    await expect(sayWith(talk, 'look', { [name]: 'x' })).rejects.toMatchObject({ code: 'work.invalid' });
  }
  const said = await sayWith(talk, 'look', Object.fromEntries(names.map((name, n) => [name, `${n}`])));
  const paths = await attachedFor(said.workItemId);
  const all = (await pathsFor(said.workItemId)).filter((path) => path.startsWith('hostile/names.files/'));
  expect(all).toHaveLength(names.length);
  expect(paths.every((path) => /^hostile\/names\.files\/[^/\\\p{Cc}\p{Cf}]{1,200}$/u.test(path))).toBe(true);
  expect(await filesOfAnswer(db(), said.workItemId).read('hostile/names.files/talk.chat')).toMatchObject({
    kind: 'attachment',
    text: '3',
  });
});

test('names that look the same are not two names', async () => {
  const talk = await talkAt('same.chat');
  for (const unseen of ['\u061c', '\u180e', '\u3164', '\ufe0f', '\u{e0041}']) {
    await expect(sayWith(talk, 'look', { [`a${unseen}b`]: 'x' })).rejects.toMatchObject({ code: 'work.invalid' });
  }
  const names = ['é.txt', 'e\u0301.txt', 'b.TXT', 'B.txt'];
  for (const [n, name] of names.entries()) await sayWith(talk, 'look', { [name]: `${n}` });
  const said = await sayWith(talk, 'and?', {});
  const paths = (await pathsFor(said.workItemId)).filter((path) => path.startsWith('same.files/'));
  expect(paths.toSorted()).toEqual(['B-2.txt', 'b.TXT', 'é-2.txt', 'é.txt'].map((name) => `same.files/${name}`));
});

test('a name that is taken gets a number; a text is read, of an image only what it is', async () => {
  const talk = await talkAt('twice.chat');
  await sayWith(talk, 'one', { 'a.txt': 'first', 'no-ending': '1' });
  await answer(db(), talk, 'seen');
  const two = await sayWith(talk, 'two', { 'a.txt': 'second', 'no-ending': '2', 'p.png': png() });
  expect(await attachedFor(two.workItemId)).toEqual(
    ['a-2.txt', 'a.txt', 'no-ending', 'no-ending-2', 'p.png'].map((name) => `twice.files/${name}`),
  );
  const { read } = filesOfAnswer(db(), two.workItemId);
  expect(await read('twice.files/a-2.txt')).toMatchObject({ text: 'second', bytes: 6 });
  expect(await read('twice.files/p.png')).toMatchObject({ text: null, mediaType: 'image/png', bytes: png().length });
  expect(await read('twice.files/b.txt')).toBeNull();
  const row = await readWorkspaceFile(db(), await idOf('twice.files/p.png'));
  expect(row).toMatchObject({ mediaType: 'image/png', etag: `"${await idOf('twice.files/p.png')}"` });
  expect(row.content.equals(png())).toBe(true);
  const [file] = await db().query('select is_virtual, kind from animus.files where path = $1', ['twice.files/p.png']);
  expect(file).toEqual({ is_virtual: false, kind: 'attachment' });
});

test('the file of work that only says that it comes from a chat is in no workspace', async () => {
  const [item] = await db().query<{ id: string }>(
    `insert into animus.work_items (faculty, source) values ('clerk', 'chat') returning id`,
  );
  const [file] = await db().query<{ id: string }>(`select animus.attach_file($1, 'a.txt', 'x') as id`, [item!.id]);
  expect(await readAttachments(db(), item!.id, [file!.id])).toMatchObject([{ name: 'a.txt' }]);
  expect(await db().query('select from animus.files where id = $1', [file!.id])).toEqual([]);
});

test('an edit and a retry keep the files, and the answer may read them', async () => {
  const talk = await talkAt('kept.chat');
  const one = await sayWith(talk, 'one', { 'a.txt': 'words' });
  const [id] = [await idOf('kept.files/a.txt')];
  await answer(db(), talk, 'seen');
  const again = await retryMessage(db(), one.messageId);
  for (const { workItemId } of [again, await editMessage(db(), again.messageId, 'other')]) {
    expect(await readAttachments(db(), workItemId, [id])).toMatchObject([{ name: 'a.txt' }]);
    expect(await readArtifact(db(), workItemId, id, 0, 100)).toEqual({ text: 'words', characters: 5 });
    expect((await readAnswerStart(db(), workItemId))!.said.at(-1)!.files).toEqual([
      { id, path: 'kept.files/a.txt', media_type: 'text/plain; charset=utf-8', bytes: 5 },
    ]);
  }
  expect((await readConversation(db(), talk.id))[0]).toMatchObject({
    content: 'other',
    attachments: [{ id, name: 'a.txt', path: 'kept.files/a.txt' }],
  });
});

test('the answers of another branch, and of another conversation, do not see them', async () => {
  const talk = await talkAt('branch.chat');
  const one = await sayWith(talk, 'one', {});
  await answer(db(), talk, '1');
  await sayWith(talk, 'two', { 'two.txt': '2' });
  const [id] = [await idOf('branch.files/two.txt')];
  const edited = await editMessage(db(), one.messageId, 'other');
  expect(await attachedFor(edited.workItemId)).toEqual([]);
  expect(await readAttachments(db(), edited.workItemId, [id])).toEqual([]);
  const stranger = await sayWith(await newTalk(db()), 'x', {});
  expect(await readAttachments(db(), stranger.workItemId, [id])).toEqual([]);
  expect(await readArtifact(db(), stranger.workItemId, id, 0, 1)).toBeNull();
});

test('another conversation of the workspace sees them if everybody in it takes part here', async () => {
  const workspaceId = await createWorkspace(db(), 'shared');
  const here = await newTalk(db(), { workspaceId, path: 'here.chat' });
  const there = await newTalk(db(), { workspaceId, path: 'there.chat' });
  await sayWith(here, 'one', { 'plan.txt': 'the plan' });
  const { workItemId } = await sayWith(there, 'x', {});
  expect(await pathsFor(workItemId)).toEqual(['there.chat', 'here.files/plan.txt', 'here.chat']);
  expect(await filesOfAnswer(db(), workItemId).read('here.files/plan.txt')).toMatchObject({ text: 'the plan' });
  // She does not read the work of this answer, but she hears it.
  await setParticipant(db(), there.id, 'person:carol');
  expect(await pathsFor(workItemId)).toEqual(['there.chat']);
  expect(await filesOfAnswer(db(), workItemId).read('here.files/plan.txt')).toBeNull();
});

test('a deleted message takes its files with it, also those that it has from the message that it replaced', async () => {
  const talk = await talkAt('gone.chat');
  await sayWith(talk, 'zero', { 'kept.txt': 'k' });
  await answer(db(), talk, '0');
  const one = await sayWith(talk, 'one', { 'a.txt': 'secret' });
  await answer(db(), talk, '1', 2);
  const id = await idOf('gone.files/a.txt');
  const edited = await editMessage(db(), one.messageId, 'one, again');
  // The old one is not shown any more: its deletion takes nothing from the new one.
  await deleteMessage(db(), one.messageId);
  expect(await readAttachments(db(), edited.workItemId, [id])).toHaveLength(1);
  await deleteMessage(db(), edited.messageId);
  const two = await sayWith(talk, 'two', {});
  const start = (await readAnswerStart(db(), two.workItemId))!;
  const words = await readNewestWords(db(), start.message, 10_000);
  expect(words.map(({ content, files }) => [content, files?.map(({ path }) => path)])).toEqual([
    ['zero', ['gone.files/kept.txt']],
    ['0', undefined],
  ]);
  expect(await attachedFor(two.workItemId)).toEqual(['gone.files/kept.txt']);
  expect(await readAttachments(db(), two.workItemId, [id])).toEqual([]);
  expect(await readArtifact(db(), one.workItemId, id, 0, 9)).toBeNull();
  await expect(readWorkspaceFile(db(), id)).rejects.toMatchObject({ code: 'work.not_found' });
  expect(await db().query('select from animus.own_artifacts where id = $1', [id])).toEqual([]);
  // The path is free again.
  await sayWith(talk, 'three', { 'a.txt': 'new' });
  expect(await idOf('gone.files/a.txt')).not.toBe(id);
});

test('the files of a deleted conversation are read no more', async () => {
  const talk = await talkAt('ended.chat');
  await sayWith(talk, 'one', { 'a.txt': '1' });
  const id = await idOf('ended.files/a.txt');
  await deleteConversation(db(), talk.id);
  await expect(readWorkspaceFile(db(), id)).rejects.toMatchObject({ code: 'work.not_found' });
  expect(await db().query('select from animus.own_files where id = $1', [id])).toEqual([]);
});

test('the images of a chain are counted with those of the message', async () => {
  const talk = await talkAt('media.chat');
  await sayWith(talk, 'one', { 'a.png': png() });
  const first = await beginAnswer(db(), talk);
  const [file] = first.params['attachments'] as string[];
  await addAttachment(db(), first.key, { content: 'x', artifactId: file!, tokens: 1 });
  await recordText(db(), first, 1, 'seen');
  await completeWork(db(), first, { text: 'seen' }, 'seen');
  const media = async (workItemId: string) => (await readAnswerStart(db(), workItemId))!.before!.media;
  const two = await sayWith(talk, 'two', { 'b.png': png(), 'c.txt': 'text' });
  expect(await media(two.workItemId)).toEqual({ files: 2, bytes: 2 * png().length });
  await answer(db(), talk, 'seen', 2);
  const three = await sayWith(talk, 'three', {});
  expect(await media(three.workItemId)).toEqual({ files: 0, bytes: 0 });
});

test('the login of a daemon may read all that an answer needs', async () => {
  const logins: string[] = [];
  const daemon = openPostgres(await createLogin(target.connectionString, 'animus_daemon', logins));
  const talk = await talkAt('login.chat');
  const { workItemId } = await sayWith(talk, 'one', { 'a.txt': 'words' });
  const id = await idOf('login.files/a.txt');
  const start = (await readAnswerStart(daemon, workItemId))!;
  expect(await readNewestWords(daemon, start.message, 100)).toEqual([]);
  expect(await readAttachments(daemon, workItemId, [id])).toHaveLength(1);
  expect(await readArtifact(daemon, workItemId, id, 0, 100)).toEqual({ text: 'words', characters: 5 });
  expect(await filesOfAnswer(daemon, workItemId).list()).toHaveLength(2);
  expect(await filesOfAnswer(daemon, workItemId).read('login.chat')).toMatchObject({ kind: 'chat' });
  expect(await readChildren(daemon, workItemId, null, 'conversation')).toEqual([]);
  await daemon.close();
  await dropLogins(logins);
});

test('the text of a conversation names the files that came with a message, and is read again', async () => {
  const talk = await talkAt('chats/named.chat');
  await sayWith(talk, 'Read this', { 'notes · a.txt': 'hello', 'b.txt': 'x' });
  const { content } = await readVirtualFile(db(), talk.id);
  expect(content).toMatch(/^## 1 · user · .* UTC · with notes · a\.txt \(5 bytes\), b\.txt \(1 byte\)$/m);
  expect(parseExport(content).map((message) => [message.role, message.content])).toEqual([['user', 'Read this']]);
});
