/** Promise: the rows of the digest are what the submitter of an item may see of other work, each kind newest first, within the look-back. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, test } from 'vitest';
import { archiveSkill } from '../../../src/features/skills/store.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { appendLedger } from '../../../src/store/transcript/ledger.ts';
import { readAncestors, readAwareness, readAwarenessPlace } from '../../../src/store/work/awareness.ts';
import { completeWork } from '../../../src/store/work/work.ts';
import { beginFocus, type FocusedWork, recordCalls } from '../../support/begun-focus.ts';
import { clearWork } from '../../support/clear-work.ts';
import { asAdmin, embeddedDatabase, testDatabase } from '../../support/database.ts';
import { fakeDatabaseClock } from '../../support/database-clock.ts';
import { createLogin, dropLogins } from '../../support/role-login.ts';
import { write } from '../skills/written-skills.ts';

const pg = testDatabase();
const embedded = embeddedDatabase();

/** Submits an item as somebody else than the test's login, and begins its focus. */
async function begunFor(db: Database, submitter: string | null, more: { description?: string; parent?: string } = {}) {
  const work = await beginFocus(db);
  await db.query(
    `update animus.work_items set submitted_by = coalesce($2, submitted_by), description = $3 where id = $1`,
    [work.id, submitter, more.description ?? ''],
  );
  return work;
}

const find = (db: Database, work: FocusedWork, text: string, type: 'finding' | 'plan' | 'note' = 'finding') =>
  appendLedger(db, work.id, type, text, { leaseToken: work.leaseToken, focusId: work.key.focusId });

async function seenBy(db: Database, viewer: string | null, hours = 24) {
  const { rows, running } = await readAwareness(db, viewer === null ? [] : [viewer], hours);
  return { running, texts: rows.map(({ kind, description, content }) => [kind, description, content]) };
}

const login = async (db: Database) => (await db.query<{ me: string }>('select session_user::text as me'))[0]!.me;

afterEach(() => clearWork(pg.database));

describe.each([
  ['PostgreSQL', () => pg.database],
  ['the embedded database', () => embedded.database],
])('on %s', (_name, database) => {
  let clock: Awaited<ReturnType<typeof fakeDatabaseClock>>;
  beforeAll(async () => {
    clock = await fakeDatabaseClock(database(), '2026-11-22 12:00:00Z');
  });

  afterEach(() => clearWork(database()));

  it('running foci have their newest plan; findings, completed work and what waits for people stand beside them', async () => {
    const db = database();
    const done = await begunFor(db, null, { description: 'old' });
    await completeWork(db, done, { a: 1 }, 'too long ago');
    await clock.set('+25 hours');
    const [first, second, third] = [
      await begunFor(db, null, { description: 'first' }),
      await begunFor(db, null, { description: 'second' }),
      await begunFor(db, null, { description: 'third' }),
    ];
    await find(db, first, 'a plan', 'plan');
    await clock.set('+1 minute');
    await find(db, first, 'a better plan', 'plan');
    await find(db, first, 'no finding', 'note');
    await find(db, first, 'it is cold');
    await clock.set('+1 minute');
    await find(db, second, 'it is wet');
    await completeWork(db, third, { a: 1 }, 'all dry');
    await recordCalls(db, second, 1, ['c1']);
    await db.query(`select animus.open_item_wait($1, $2, 'more', 'budget', '{"reason": "it is little"}')`, [
      second.key.focusId,
      second.leaseToken,
    ]);
    const { rows, asOf } = await readAwareness(db, [await login(db)], 24);
    expect(asOf).toBe('2026-11-23T13:02:00.000000Z');
    const shown = rows.map(({ kind, description, content, ageSeconds }) => [kind, description, content, ageSeconds]);
    expect(shown).toEqual([
      ['running', 'second', null, 120],
      ['running', 'first', 'a better plan', 120],
      ['completed', 'third', 'all dry', 0],
      ['finding', 'second', 'it is wet', 0],
      ['finding', 'first', 'it is cold', 60],
      ['approval', 'second', 'budget: it is little', 0],
    ]);
    expect((await seenBy(db, await login(db), 30)).texts).toContainEqual(['completed', 'old', 'too long ago']);
  });

  it('somebody who may not see all work sees only their own, also beside a flood of findings', async () => {
    const db = database();
    const [hers, his, mine] = [
      await begunFor(db, 'person:ada', { description: 'hers' }),
      await begunFor(db, 'person:bob', { description: 'his' }),
      await begunFor(db, null, { description: 'mine' }),
    ];
    await find(db, hers, 'she knows');
    await find(db, his, 'he knows');
    for (let n = 0; n < 510; n++) await find(db, mine, `it goes on, ${n}`);
    await completeWork(db, await begunFor(db, 'person:ada', { description: 'her old one' }), {}, 'done');
    expect(await seenBy(db, 'person:ada')).toEqual({
      running: 1,
      texts: [
        ['running', 'hers', null],
        ['completed', 'her old one', 'done'],
        ['finding', 'hers', 'she knows'],
      ],
    });
    for (const nobody of ['person:nobody', 'no_such_login', 'public', 'person:ada ', 'login:person:ada', null]) {
      expect(await seenBy(db, nobody)).toEqual({ running: 0, texts: [] });
    }
    const all = await seenBy(db, await login(db));
    expect(all.running).toBe(3);
    expect(all.texts.filter(([kind]) => kind === 'finding')).toHaveLength(100);
  });

  it('the items above an item are known, however deep it is', async () => {
    const db = database();
    const chain: string[] = [];
    for (let depth = 0; depth <= 5; depth++) {
      const [row] = await db.query<{ id: string }>(
        `insert into animus.work_items (faculty, parent_id) values ('deep', $1) returning id`,
        [chain[0] ?? null],
      );
      expect(await readAncestors(db, row!.id)).toEqual(chain);
      const [direct] = await db.query<{ ids: string[] }>(
        `select animus.ancestors_at(id, parent_id, root_id, depth) as ids from animus.work_items where id = $1`,
        [row!.id],
      );
      expect(direct!.ids).toEqual(chain);
      chain.unshift(row!.id);
    }
    expect(await readAwarenessPlace(db, chain[0]!)).toEqual({
      readers: [await login(db)],
      params: {},
      ancestors: chain.slice(1),
    });
    expect(await readAwarenessPlace(db, randomUUID())).toBeNull();
  });
});

describe('logins', () => {
  const logins: string[] = [];
  const odd = `odd:${randomUUID().slice(0, 8)} "login"`;
  afterAll(async () => {
    await asAdmin((admin) => admin.query(`drop role "${odd.replaceAll('"', '""')}"`));
    await dropLogins(logins);
  });

  test('one that may read the table sees all work, one that submits sees its own, whatever it is called', async () => {
    const db = pg.database;
    await begunFor(db, null, { description: 'ours' });
    for (const role of ['animus_reader', 'animus_operator', 'animus_daemon', 'animus_submitter', 'animus_gateway']) {
      await createLogin(pg.connectionString, role, logins);
      const sees = ['animus_submitter', 'animus_gateway'].includes(role) ? 0 : 1;
      expect((await seenBy(db, logins.at(-1)!)).running, role).toBe(sees);
    }
    await asAdmin((admin) => admin.query(`create role "${odd.replaceAll('"', '""')}" in role animus_reader`));
    expect((await seenBy(db, `login:${odd}`)).running).toBe(1);
    expect((await seenBy(db, odd)).running).toBe(1);
  });
});

test('a skill that work wrote is for everybody while it is current, with its work item for those who may see that', async () => {
  const db = pg.database;
  const [work, old] = [await beginFocus(db), await beginFocus(db)];
  await write(db, work, 'notes');
  await write(db, work, 'notes', { base: 1 });
  await write(db, work, 'drafts', { mode: 'ask' });
  await write(db, old, 'mail');
  await db.query(
    `update animus.skill_versions set current_from = animus.now() - interval '30 hours' where name = 'mail'`,
  );
  const skills = async (viewer: string) =>
    await db.query(
      `select description, content, work_item_id as id from animus.awareness_for(array[$1], 24) where kind = 'skill'`,
      [viewer],
    );
  expect(await skills(await login(db))).toEqual([{ description: 'notes', content: '2', id: work.id }]);
  expect(await skills('person:ada')).toEqual([{ description: 'notes', content: '2', id: null }]);
  await archiveSkill(db, { name: 'notes', note: '' });
  expect(await skills('person:ada')).toEqual([]);
});
