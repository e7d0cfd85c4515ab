/** Promise: a skill that work writes is rows in the transaction of its call, numbered without gaps, and one writer at a time wins. */
import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { approveSkill, archiveSkill, denySkill } from '../../../src/features/skills/store.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import { beginSkillVersion } from '../../../src/store/skills/skill-versions.ts';
import { reportSkills } from '../../../src/store/skills/written-skills.ts';
import type { Database, Queryable } from '../../../src/store/sql/database.ts';
import { appendLedger } from '../../../src/store/transcript/ledger.ts';
import { beginFocus, type FocusedWork } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';
import { createLogin, dropLogins } from '../../support/role-login.ts';
import { versionsOf, write, writerOf } from './written-skills.ts';

const target = testDatabase();
const logins: string[] = [];
const open: Database[] = [];
afterAll(async () => {
  for (const db of open) await db.close();
  await dropLogins(logins);
});

const skillName = () => `s${randomUUID().slice(0, 8)}`;

/** A focus of work that a login of this role submits. */
async function workOf(role: string): Promise<FocusedWork & { readonly submitter: Queryable }> {
  const submitter = openPostgres(await createLogin(target.connectionString, role, logins), { poolSize: 1 });
  open.push(submitter);
  const [row] = await submitter.query<{ id: string }>('select id from animus.submit_work($1)', [`f${randomUUID()}`]);
  return { ...(await beginFocus(target.database, { id: row!.id })), submitter };
}

describe('a version', () => {
  test('is current at once for work whose submitter sees all, and waits for an operator otherwise', async () => {
    const db = target.database;
    const name = skillName();
    expect(await write(db, await beginFocus(db), name)).toMatchObject({ version: 1, state: 'current' });
    const other = skillName();
    const clerk = await workOf('animus_submitter');
    expect(await write(db, clerk, other)).toMatchObject({ version: 1, state: 'proposed' });
    expect(await write(db, await beginFocus(db), skillName(), { mode: 'ask' })).toMatchObject({ state: 'proposed' });
  });

  test('of a name that exists is refused, and an update needs the version that is current', async () => {
    const db = target.database;
    const [name, work] = [skillName(), await beginFocus(db)];
    await write(db, work, name);
    await expect(write(db, work, name)).rejects.toMatchObject({
      code: 'work.state',
      message: expect.stringContaining(`skill ${name} exists: version 1 is current`),
    });
    expect(await write(db, work, name, { base: 1 })).toMatchObject({ version: 2, state: 'current' });
    await expect(write(db, work, name, { base: 1 })).rejects.toMatchObject({
      code: 'work.state',
      message: expect.stringContaining(`version 2 of skill ${name} is current by now, not 1`),
    });
    await expect(write(db, work, skillName(), { base: 1 })).rejects.toMatchObject({ code: 'work.not_found' });
    expect(await versionsOf(db, name)).toEqual([
      [1, 'replaced', null],
      [2, 'current', 1],
    ]);
  });

  test('that waits blocks other work, and its own work can replace it', async () => {
    const db = target.database;
    const [name, work] = [skillName(), await beginFocus(db)];
    await write(db, work, name, { mode: 'ask' });
    await expect(write(db, await beginFocus(db), name)).rejects.toMatchObject({
      code: 'work.state',
      message: expect.stringContaining('waits for the decision of a person'),
    });
    expect(await write(db, work, name, { base: 1, mode: 'ask' })).toMatchObject({ version: 2, state: 'proposed' });
    expect(await versionsOf(db, name)).toEqual([
      [1, 'replaced', null],
      [2, 'proposed', null],
    ]);
  });

  test('of a skill that a person has somewhere is refused', async () => {
    const db = target.database;
    const [name, work] = [skillName(), await beginFocus(db)];
    const { hash } = await write(db, work, name);
    await reportSkills(db, 'here', [{ name, origin: 'agent', hash }]);
    await write(db, work, name, { base: 1 });
    await reportSkills(db, 'there', [{ name, origin: 'agent', hash: 'edited' }]);
    await expect(write(db, work, name, { base: 2 })).rejects.toMatchObject({
      code: 'work.state',
      message: expect.stringContaining('belongs to a person'),
    });
    await reportSkills(db, 'there', []);
    await write(db, work, name, { base: 2 });
  });

  test.each(['Deploy', 'a--b', '-a', '../x', 'a/b', '', 'a'.repeat(65)])('cannot be named %j', async (name) => {
    const work = await beginFocus(target.database);
    await expect(beginSkillVersion(target.database, writerOf(work), name)).rejects.toMatchObject({
      code: 'work.invalid',
    });
  });

  test('has copies of the ledger entries that it comes from, which its submitter may see', async () => {
    const db = target.database;
    const [clerk, stranger] = [await workOf('animus_submitter'), await workOf('animus_submitter')];
    for (const { key } of [clerk, stranger]) await appendLedger(db, key.workItemId, 'finding', 'cache first', key);
    const [name, own] = [skillName(), { workItemId: clerk.id, seq: 1, supports: 'Cache.' }];
    for (const source of [
      { ...own, workItemId: stranger.id },
      { ...own, seq: 2 },
    ])
      await expect(write(db, clerk, name, { sources: [own, source] })).rejects.toMatchObject({
        code: 'work.invalid',
        message: expect.stringContaining('there is no ledger entry'),
      });
    expect(await versionsOf(db, name)).toEqual([]);
    await write(db, clerk, name, { sources: [own] });
    expect(
      await db.query(
        'select work_item_id, ledger_seq, entry_type, content, supports, faculty from animus.skill_provenance where skill = $1',
        [name],
      ),
    ).toEqual([
      {
        work_item_id: clerk.id,
        ledger_seq: 1,
        entry_type: 'finding',
        content: 'cache first',
        supports: 'Cache.',
        faculty: clerk.faculty,
      },
    ]);
  });
});

describe('of two that write the same skill at once', () => {
  test('one creates it, and the other is told that it exists', async () => {
    const db = target.database;
    const [name, works] = [skillName(), [await beginFocus(db), await beginFocus(db), await beginFocus(db)]];
    const results = await Promise.allSettled(works.map((work) => write(db, work, name, { text: work.id })));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results)
      if (result.status === 'rejected') expect(['work.state', 'work.locked']).toContain(result.reason.code);
    expect(await versionsOf(db, name)).toEqual([[1, 'current', null]]);
  });

  test('an update of a version that was replaced meanwhile is refused whole', async () => {
    const db = target.database;
    const [name, works] = [skillName(), [await beginFocus(db), await beginFocus(db)]];
    await write(db, works[0]!, name);
    const results = await Promise.allSettled(works.map((work) => write(db, work, name, { base: 1, text: work.id })));
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect((await versionsOf(db, name)).map(([version, state]) => [version, state])).toEqual([
      [1, 'replaced'],
      [2, 'current'],
    ]);
  });
});

describe('a decision', () => {
  test('is for operators, bound to what was shown, and made once', async () => {
    const db = target.database;
    const [name, clerk] = [skillName(), await workOf('animus_submitter')];
    const { hash } = await write(db, clerk, name);
    await expect(approveSkill(clerk.submitter, { name, note: '' })).rejects.toThrow('permission denied');
    await expect(approveSkill(db, { name, note: '', hash: 'f'.repeat(64) })).rejects.toMatchObject({
      code: 'work.state',
    });
    expect(await approveSkill(db, { name, note: 'good', hash })).toBe(1);
    await expect(denySkill(db, { name, note: '' })).rejects.toMatchObject({
      code: 'work.state',
      message: expect.stringMatching(/version 1 was decided by .* and is current/),
    });
    const [decision] = await db.query<{ target: string; action: string; note: string; digest: string }>(
      `select target, action, note, encode(subject_digest, 'hex') as digest from animus.decisions where target = $1`,
      [`skill ${name}`],
    );
    expect(decision).toEqual({ target: `skill ${name}`, action: 'approve', note: 'good', digest: hash });
  });

  test('is made from the one inbox, too, where the work item may be gone', async () => {
    const db = target.database;
    const [name, work] = [skillName(), await beginFocus(db)];
    await write(db, work, name, { mode: 'ask' });
    const inbox = () =>
      db.query<{ ask_id: string; hash: string }>(
        `select ask_id, hash from animus.inbox where subject = 'skill' and request ->> 'skill' = $1`,
        [name],
      );
    const [asked] = await inbox();
    await db.query('select animus.deny($1, $2, $3, $4)', [work.id, asked!.ask_id, 'no', asked!.hash]);
    expect(await inbox()).toEqual([]);
    expect(await versionsOf(db, name)).toEqual([[1, 'rejected', null]]);
    const again = await beginFocus(db);
    expect(await write(db, again, name, { mode: 'ask' })).toMatchObject({ version: 2 });
    await db.query(`select animus.complete_work($1, $2, '{}')`, [again.id, again.leaseToken]);
    await db.query('delete from animus.work_items where id = $1', [again.id]);
    expect(await inbox()).toHaveLength(1);
    expect(await approveSkill(db, { name, note: '' })).toBe(2);
  });

  test('for an update whose base was archived meanwhile is refused', async () => {
    const db = target.database;
    const [name, work] = [skillName(), await beginFocus(db)];
    await write(db, work, name);
    await write(db, work, name, { base: 1, mode: 'ask' });
    expect(await archiveSkill(db, { name, note: 'unused' })).toBe(1);
    await expect(approveSkill(db, { name, note: '' })).rejects.toMatchObject({
      code: 'work.state',
      message: expect.stringContaining('was made from version 1, and no version is current by now'),
    });
    expect(await denySkill(db, { name, note: '' })).toBe(2);
    await expect(archiveSkill(db, { name, note: '' })).rejects.toMatchObject({ code: 'work.state' });
    await expect(archiveSkill(db, { name: skillName(), note: '' })).rejects.toMatchObject({ code: 'work.not_found' });
  });
});
