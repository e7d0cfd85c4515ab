/** Promise: an operator hands a skill of a person to agents as its files are; the decision is in the log, and nothing that is not a person's is taken. */
import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { contentHashOf } from '../../../src/catalog/skills/content-hash.ts';
import { adoptSkill, versionsOf as versionsFor } from '../../../src/features/skills/store.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import { readPackage } from '../../../src/store/skills/packages.ts';
import { reportSkills } from '../../../src/store/skills/written-skills.ts';
import { versionsOf, write } from '../../store/skills/written-skills.ts';
import { beginFocus } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';
import { createLogin, dropLogins } from '../../support/role-login.ts';

const target = testDatabase();
const logins: string[] = [];
afterAll(() => dropLogins(logins));
const skillName = () => `s${randomUUID().slice(0, 8)}`;

test('hands a skill of a person to agents, as what its files are, and is logged', async () => {
  const db = target.database;
  const [name, work] = [skillName(), await beginFocus(db)];
  const files = [
    { path: 'b/ä.md', content: Buffer.from([0, 255]) },
    { path: 'SKILL.md', content: Buffer.from(`---\nname: ${name}\n---\n`) },
    { path: 'b-c', content: Buffer.from('c') },
  ];
  const adopted = { name, description: 'd', note: 'kept up to date by work', files };
  const url = await createLogin(target.connectionString, 'animus_submitter', logins);
  const submitter = openPostgres(url, { poolSize: 1 });
  await expect(adoptSkill(submitter, adopted)).rejects.toThrow('permission denied');
  await submitter.close();
  expect(await adoptSkill(db, adopted)).toBe(1);
  const hash = contentHashOf(files);
  expect(await versionsFor(db, name)).toMatchObject([
    { version: 1, state: 'current', content_hash: hash, work_item_id: null, base: null },
  ]);
  expect(await readPackage(db, hash)).toHaveLength(3);
  expect(
    await db.query(
      `select action, note, encode(subject_digest, 'hex') as digest, decided_by = animus.actor() as mine from animus.decisions where target = $1`,
      [`skill ${name}`],
    ),
  ).toEqual([{ action: 'adopt', note: 'kept up to date by work', digest: hash, mine: true }]);
  await reportSkills(db, 'here', [{ name, origin: 'person', hash }], 30);
  expect(await write(db, work, name, { base: 1, mode: 'ask' })).toMatchObject({ version: 2, state: 'proposed' });

  await reportSkills(db, 'here', [{ name, origin: 'person', hash: 'edited' }], 30);
  await expect(write(db, work, name, { base: 1, mode: 'ask' })).rejects.toThrow('belongs to a person');
});

test('to adopt is refused for what work has written, and for files and names that cannot be a version', async () => {
  const db = target.database;
  const name = skillName();
  const skill = (text: string, more = {}) => ({
    name,
    description: 'd',
    note: '',
    files: [{ path: 'SKILL.md', content: Buffer.from(text) }],
    ...more,
  });
  expect(await adoptSkill(db, skill('one'))).toBe(1);
  await expect(adoptSkill(db, skill('one'))).rejects.toMatchObject({
    code: 'work.state',
    message: expect.stringContaining('these files are its version 1, which is current'),
  });
  expect(await adoptSkill(db, skill('two'))).toBe(2);
  expect(await versionsOf(db, name)).toEqual([
    [1, 'replaced', null],
    [2, 'current', 1],
  ]);
  for (const wrong of [{ name: '../x' }, { description: '' }, { files: [] }])
    await expect(adoptSkill(db, skill('x', wrong)), JSON.stringify(wrong)).rejects.toMatchObject({
      code: 'work.invalid',
    });
  const outside = [...skill('x').files, { path: '../x', content: Buffer.from('') }];
  await expect(adoptSkill(db, skill('x', { files: outside }))).rejects.toThrow();
  expect(await versionsOf(db, name)).toHaveLength(2);
});
