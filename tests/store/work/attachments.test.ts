import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { readArtifact } from '../../../src/store/transcript/artifacts.ts';
import { readAttachments } from '../../../src/store/transcript/attachments.ts';
import { pruneArtifacts, pruneWork } from '../../../src/store/work/retention.ts';
import { submitWork } from '../../../src/store/work/submit-work.ts';
import { completeWork } from '../../../src/store/work/work.ts';
import { embeddedDatabase, testDatabase } from '../../support/database.ts';
import { GIF, jpeg, pdf, png, WEBP } from '../../support/media-files.ts';
import { createLogin, dropLogins } from '../../support/role-login.ts';
import { attach, file, paramsOf } from './attached-file.ts';
import { claimOne, emptyQueue, insertWork, openTransaction, startFocus } from './queue-driver.ts';

const target = testDatabase();
beforeEach(async () => {
  await target.database.query('delete from animus.artifacts');
  await emptyQueue(target.database);
});

const MIB = 1024 * 1024;

describe('a file is attached in the transaction that inserts the work', () => {
  test('by SQL: params.attachments names it, after what was there', async () => {
    const { database: db } = target;
    const id = await insertWork(db, { params: { invoice: 7 } });
    const first = await attach(db, id, 'invoice.pdf', pdf());
    const second = await attach(db, id, 'notes.txt', Buffer.from('zwölf'));
    expect(await paramsOf(db, id)).toEqual({ invoice: 7, attachments: [first, second] });
    expect(await readAttachments(db, id, [second!, first!])).toEqual(
      expect.arrayContaining([
        { id: first, name: 'invoice.pdf', mediaType: 'application/pdf', bytes: pdf().length },
        { id: second, name: 'notes.txt', mediaType: 'text/plain; charset=utf-8', bytes: 6 },
      ]),
    );
    expect(await readArtifact(db, id, second!, 1, 2)).toEqual({ text: 'wö', characters: 5 });
  });

  test('in one statement with the insert, from the rows of a table', async () => {
    const { database: db } = target;
    await db.transaction(async (tx) => {
      await tx.query('create temporary table scans (name text, content bytea) on commit drop');
      await tx.query('insert into scans values ($1, $2), ($3, $4)', ['a.png', png(), 'b.gif', GIF]);
      await tx.query(
        `with work as (insert into animus.own_work (faculty) values ('engineer') returning id)
         select animus.attach_file(work.id, s.name, s.content) from work, scans s`,
      );
    });
    const [row] = await db.query<{ params: { attachments: string[] } }>('select params from animus.work_items');
    expect(row!.params.attachments).toHaveLength(2);
  });

  test('a rollback leaves neither item nor file; a refused file takes its item along', async () => {
    const { database: db } = target;
    await expect(
      db.transaction(async (tx) => {
        await attach(tx, await insertWork(tx), 'a.png', png());
        throw new Error('undo');
      }),
    ).rejects.toThrow('undo');
    const refused = {
      faculty: 'engineer',
      attachments: [file('a.png', png()), file('b.zip', Buffer.from([80, 75, 0]))],
    };
    await expect(submitWork(db, refused)).rejects.toMatchObject({ code: 'work.invalid' });
    expect(await db.query('select id from animus.artifacts union all select id from animus.work_items')).toEqual([]);
  });

  test('by submitWork: item and files in one statement, in order', async () => {
    const { database: db } = target;
    const attachments = [file('1.png', png()), file('2.pdf', pdf()), file('3.txt', Buffer.from('x'))];
    const submitted = await submitWork(db, { faculty: 'engineer', params: { n: 1 }, attachments });
    expect(submitted).toEqual({ id: expect.any(String), state: 'queued', mergedInto: null });
    const params = await paramsOf(db, submitted.id);
    const files = await readAttachments(db, submitted.id, params['attachments'] as string[]);
    const names = new Map(files.map(({ id, name }) => [id, name]));
    expect((params['attachments'] as string[]).map((id) => names.get(id))).toEqual(['1.png', '2.pdf', '3.txt']);
  });

  test('a duplicate is merged and keeps no file', async () => {
    const { database: db } = target;
    const work = { faculty: 'engineer', dedupKey: 'k', attachments: [file('a.png', png())] };
    const first = await submitWork(db, work);
    expect(await submitWork(db, work)).toMatchObject({ state: 'merged', mergedInto: first.id });
    expect(await db.query('select work_item_id as item from animus.artifacts')).toEqual([{ item: first.id }]);
  });
});

describe('the content decides about the type, not the name', () => {
  test.each([
    ['picture.txt', png(), 'image/png'],
    ['picture.png', jpeg(), 'image/jpeg'],
    ['x', GIF, 'image/gif'],
    ['x', WEBP, 'image/webp'],
    ['x.doc', pdf(), 'application/pdf'],
    ['x.pdf', Buffer.from('no PDF\n'), 'text/plain; charset=utf-8'],
    ['x.svg', Buffer.from('<svg/>'), 'text/plain; charset=utf-8'],
    ['x', Buffer.from('RIFF1234WAVE'), 'text/plain; charset=utf-8'],
  ])('%s', async (name, content, type) => {
    const id = await insertWork(target.database);
    const artifact = await attach(target.database, id, name, content);
    expect(await readAttachments(target.database, id, [artifact!])).toMatchObject([{ mediaType: type }]);
  });

  test.each([
    [
      'a.zip',
      Buffer.from([0x50, 0x4b, 0x03, 0x04, 0, 0]),
      /'a.zip' is neither PNG, JPEG, GIF, WebP, PDF nor text in UTF-8/,
    ],
    ['a.txt', Buffer.from([0xff, 0xfe, 0x41, 0x00]), /nor text in UTF-8/],
    ['a.png', Buffer.alloc(0), /'a.png' is empty/],
    ['a.png', png(20, 20).subarray(0, -5), /'a.png' is cut off: its last part is missing/],
    ['a.webp', WEBP.subarray(0, -3), /'a.webp' is cut off/],
    ['', png(), /1 to 255 bytes/],
    [' ', png(), /begins with a space/],
    ['x'.repeat(256), png(), /1 to 255 bytes/],
    ['a\n# Orders', png(), /a control character/],
    ['a.txt', Buffer.alloc(10 * MIB + 1, 'x'), /has 10485761 bytes; at most 10485760/],
  ])('%j is refused', async (name, content, reason) => {
    const id = await insertWork(target.database);
    const failing = attach(target.database, id, name, content);
    await expect(failing).rejects.toMatchObject({ code: 'work.invalid', message: expect.stringMatching(reason) });
    expect(await paramsOf(target.database, id)).toEqual({});
  });

  test('at most 20 files, and 20 MiB together', async () => {
    const { database: db } = target;
    const many = await insertWork(db);
    for (let n = 0; n < 20; n++) await attach(db, many, `${n}.gif`, GIF);
    await expect(attach(db, many, '21.gif', GIF)).rejects.toThrow('at most 20 attachments');
    const large = await insertWork(db);
    for (const name of ['1', '2']) await attach(db, large, name, Buffer.alloc(10 * MIB, 'x'));
    await expect(attach(db, large, '3', GIF)).rejects.toThrow(/at most 20971520 bytes \(20 MiB\) together/);
  });

  test("an application's own params.attachments is not overwritten", async () => {
    const id = await insertWork(target.database, { params: { attachments: 'none' } });
    await expect(attach(target.database, id, 'a.png', png())).rejects.toThrow('is not a list');
    expect(await paramsOf(target.database, id)).toEqual({ attachments: 'none' });
  });
});

describe('an item that has begun or ended takes no file', () => {
  test('claimed, waiting for a retry, and completed', async () => {
    const { database: db } = target;
    const id = await insertWork(db);
    const work = await claimOne(db);
    await expect(attach(db, id, 'a.png', png())).rejects.toMatchObject({ code: 'work.state' });
    await startFocus(db, work);
    await db.query(`select animus.release_work($1, $2, null, 'drained')`, [work.id, work.leaseToken]);
    await expect(attach(db, id, 'a.png', png())).rejects.toThrow('has begun or ended');
    await completeWork(db, await claimOne(db), {}, null);
    await expect(attach(db, id, 'a.png', png())).rejects.toMatchObject({ code: 'work.state' });
  });

  test('one that stays locked is reported after two seconds', async () => {
    const { database: db } = target;
    const id = await insertWork(db);
    const other = await openTransaction(db, async (tx) => {
      await tx.query('select from animus.work_items where id = $1 for update', [id]);
    });
    await expect(attach(db, id, 'a.png', png())).rejects.toMatchObject({ code: 'work.locked' });
    await other.end('rollback');
    expect(await attach(db, id, 'a.png', png())).not.toBeNull();
  });
});

describe('who may see a file', () => {
  const logins: string[] = [];
  let own: Database;
  let other: Database;
  beforeAll(async () => {
    const open = async () =>
      openPostgres(await createLogin(target.connectionString, 'animus_submitter', logins), { poolSize: 1 });
    [own, other] = [await open(), await open()];
  });
  afterAll(async () => {
    await Promise.all([own.close(), other.close()]);
    await dropLogins(logins);
  });

  test('its submitter, in own_artifacts; another submitter neither sees it nor adds to it', async () => {
    const { id } = await submitWork(own, { faculty: 'engineer', attachments: [file('a.png', png())] });
    expect(await own.query('select name, content from animus.own_artifacts where work_item_id = $1', [id])).toEqual([
      { name: 'a.png', content: png() },
    ]);
    expect(await other.query('select id from animus.own_artifacts')).toEqual([]);
    await expect(other.query('select from animus.artifacts')).rejects.toMatchObject({ code: 'db.forbidden' });
    await expect(attach(other, id, 'b.png', png())).rejects.toMatchObject({ code: 'work.not_found' });
  });

  test("a stranger's lock does not keep others waiting: who may not see an item does not lock it", async () => {
    const { id } = await submitWork(own, { faculty: 'engineer' });
    await expect(attach(other, id, 'b.png', png())).rejects.toMatchObject({ code: 'work.not_found' });
    expect((await claimOne(target.database)).id).toBe(id);
  });

  test('only the item and those below it: an id of other work finds nothing', async () => {
    const { database: db } = target;
    const parent = await insertWork(db);
    const artifact = await attach(db, parent, 'a.txt', Buffer.from('text'));
    const child = await insertWork(db, { parent_id: parent });
    const stranger = await insertWork(db, { params: { attachments: [artifact] } });
    expect(await readAttachments(db, child, [artifact!])).toHaveLength(1);
    expect(await readArtifact(db, child, artifact!, 0, 10)).toEqual({ text: 'text', characters: 4 });
    expect(await readAttachments(db, stranger, [artifact!])).toEqual([]);
    expect(await readArtifact(db, stranger, artifact!, 0, 10)).toBeNull();
    // The parent does not see what came with its child.
    const below = await attach(db, child, 'b.txt', Buffer.from('text'));
    expect(await readAttachments(db, parent, [below!])).toEqual([]);
  });
});

test('retention deletes files of ended work, and with their item', async () => {
  const { database: db } = target;
  const ended = await submitWork(db, { faculty: 'engineer', attachments: [file('a.png', png())] });
  await completeWork(db, await claimOne(db), {}, null);
  const open = await submitWork(db, { faculty: 'engineer', attachments: [file('b.png', png())] });
  await db.query(`update animus.work_items set resolved_at = now() - interval '40 days' where id = $1`, [ended.id]);
  await db.query(`update animus.artifacts set created_at = now() - interval '41 days'`);
  expect(await pruneArtifacts(db, 30, 100)).toBe(1);
  expect(await db.query('select name from animus.artifacts')).toEqual([{ name: 'b.png' }]);
  await completeWork(db, await claimOne(db), {}, null);
  await db.query(`update animus.work_items set resolved_at = now() - interval '100 days' where id = $1`, [open.id]);
  await pruneWork(db, 90, 100, null);
  expect(await db.query('select name from animus.artifacts')).toEqual([]);
});

describe('on the embedded database', () => {
  const embedded = embeddedDatabase();

  test('a file of 10 MiB goes in and comes out whole', async () => {
    const db = embedded.database;
    const content = Buffer.concat([png(), Buffer.alloc(10 * MIB - png().length, 7)]);
    const { id } = await submitWork(db, { faculty: 'engineer', attachments: [file('large.png', content)] });
    const [row] = await db.query<{ content: Buffer }>('select content from animus.artifacts where work_item_id = $1', [
      id,
    ]);
    expect(content.equals(row!.content)).toBe(true);
  });
});
