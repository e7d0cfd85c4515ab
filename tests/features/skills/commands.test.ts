/** Promise: an operator sees from the commands what work has written, decides about exactly that, and sees how it was used. */
import { expect, test } from 'vitest';
import { activateSkills } from '../../../src/store/skills/activations.ts';
import { reportSkills } from '../../../src/store/skills/written-skills.ts';
import { appendLedger } from '../../../src/store/transcript/ledger.ts';
import { storeNewSkill, storeSkillChange } from '../../../src/tools/skills/writing/store-version.ts';
import { projectDirectory } from '../../cli/project-directory.ts';
import { storePackage, writerOf } from '../../store/skills/written-skills.ts';
import { beginFocus, type FocusedWork } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';
import { createLogin, dropLogins } from '../../support/role-login.ts';
import { skillText } from '../../support/skill-tree.ts';

const target = testDatabase();
const { animus: run, write } = projectDirectory();
const animus = (...words: string[]) => run(...words, { env: { DATABASE_URL: target.connectionString } });

const draft = (name: string) => ({ name, description: `About ${name}`, instructions: 'One.\nTwo.' });
const propose = (work: FocusedWork, name: string, more = {}) =>
  target.database.transaction((tx) => storeNewSkill(tx, writerOf(work), { ...draft(name), ...more }, 'ask'));

test('a proposal is in the inbox, shown as a diff, approved by what was shown, and its history and sources stay', async () => {
  const db = target.database;
  const work = await beginFocus(db);
  await appendLedger(db, work.id, 'finding', 'two is too much', work.key);
  await propose(work, 'notes', { reason: 'seen often', sources: [{ entry: `${work.id}/1`, supports: 'Two.' }] });
  const inbox = await animus('inbox');
  expect(inbox.stdout).toMatch(/proposes the skill notes/);
  expect(inbox.stdout).toContain('animus skill approve notes\n');
  const diff = await animus('skill', 'diff', 'notes');
  expect(diff.stdout).toMatch(
    /^notes {2}version 1, proposed; a new skill\n {2}seen often\n--- \/dev\/null\n\+\+\+ b\/SKILL\.md\n/,
  );
  expect(diff.stdout).toContain('\n+Two.\n');
  const hash = /--hash (\w{64})/.exec(diff.stdout)![1]!;
  expect(await animus('skill', 'approve', 'notes', '--hash', 'f'.repeat(64))).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('has changed since it was shown'),
  });
  expect(await animus('skill', 'approve', 'notes', '--hash', hash, '--note', 'fine')).toMatchObject({
    code: 0,
    stdout: 'notes  version 1  approved\n  About notes\n',
  });
  expect(await animus('skill', 'deny', 'notes')).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('was decided by'),
  });

  await db.transaction((tx) =>
    storeSkillChange(tx, writerOf(work), { name: 'notes', version: 1, diff: '-Two.\n+Three.', reason: 'r' }, 'ask'),
  );
  expect((await animus('skill', 'diff', 'notes')).stdout).toContain('\n-Two.\n+Three.\n');
  expect((await animus('skill', 'deny', 'notes', '--note', 'no')).stdout).toContain('version 2  denied');
  const history = JSON.parse((await animus('skill', 'history', 'notes', '--json')).stdout);
  expect(history.versions.map(({ version, state, decision_note: note }: never) => [version, state, note])).toEqual([
    [2, 'rejected', 'no'],
    [1, 'current', 'fine'],
  ]);
  expect((await animus('skill', 'history', 'notes')).stdout).toMatch(/^VERSION +STATE .*\n +2 +rejected/);

  write({ 'skills/notes/SKILL.md': skillText('notes') });
  const shown = await animus('skill', 'show', 'notes', '--sources');
  expect(shown.stdout).toMatch(
    /sources\n {2}version 1 {2}\w+\/1 {2}finding of .*\n {4}supports: Two\.\n {4}two is too much/,
  );
  expect(JSON.parse((await animus('skill', 'show', 'notes', '--sources', '--json')).stdout).sources).toHaveLength(1);
  expect(await animus('skill', 'archive', 'notes')).toMatchObject({ code: 0, stdout: 'notes  version 1  archived\n' });
  expect(await animus('skill', 'archive', 'notes')).toMatchObject({ code: 5 });
  for (const what of ['history', 'diff', 'approve', 'deny', 'archive', 'rollback'])
    expect(await animus('skill', what, 'nosuch'), what).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('no work has written'),
    });
});

test('a login that sees no skills is told so; one that reads may see them', async () => {
  const logins: string[] = [];
  const as = (role: string) => createLogin(target.connectionString, role, logins);
  const [gateway, reader] = [await as('animus_gateway'), await as('animus_reader')];
  for (const what of ['history', 'diff']) {
    expect(await run('skill', what, 'nosuch', { env: { DATABASE_URL: gateway } }), what).toMatchObject({ code: 5 });
    expect(await run('skill', what, 'nosuch', { env: { DATABASE_URL: reader } }), what).toMatchObject({ code: 3 });
  }
  await dropLogins(logins);
});

test('a skill of a person is handed to agents as it is, if agents could write it', async () => {
  write({ 'skills/letters/SKILL.md': skillText('letters'), 'skills/letters/references/a.md': 'A' });
  const adopted = await animus('skill', 'adopt', 'letters', '--note', 'keep it up to date');
  expect(adopted).toMatchObject({ code: 0, stdout: 'letters  version 1  adopted\n' });
  const [shown] = JSON.parse((await animus('skill', 'history', 'letters', '--json')).stdout).versions;
  expect(shown).toMatchObject({ state: 'current', work_item_id: null, decision_note: 'keep it up to date' });
  expect((await animus('skill', 'history', 'letters')).stdout).toMatch(/ 1 +current .* a person /);
  const { content_hash: hash } = JSON.parse((await animus('skill', 'show', 'letters', '--json')).stdout);
  expect(shown.content_hash).toBe(hash);
  expect(await animus('skill', 'adopt', 'letters')).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('these files are its version 1, which is current'),
  });

  write({ 'skills/letters/references/a.md': 'B' });
  expect(JSON.parse((await animus('skill', 'adopt', 'letters', '--json')).stdout)).toMatchObject({
    skill: 'letters',
    version: 2,
    adopted: true,
  });
  expect((await animus('skill', 'diff', 'letters')).stdout).toContain('\n-A\n');
  for (const option of ['--from', '--to'])
    expect(await animus('skill', 'diff', 'letters', option, '9')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('letters, version 9; it has versions 2 (current), 1 (replaced)'),
    });

  const back = await animus('skill', 'rollback', 'letters', '--note', 'B was wrong');
  expect(back).toMatchObject({ code: 0, stdout: 'letters  version 3  current  the files of version 1 again\n' });
  expect((await animus('skill', 'diff', 'letters')).stdout).toContain('\n-B\n');
  expect(await animus('skill', 'rollback', 'letters', '--to', '1')).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('the files of version 1 of skill letters are current'),
  });
  const forth = await animus('skill', 'rollback', 'letters', '--to', '2', '--json');
  expect(JSON.parse(forth.stdout)).toMatchObject({ version: 4, rolled_back: true, replaced: 3 });

  write({
    'skills/group/nested/SKILL.md': skillText('nested'),
    'skills/wordy/SKILL.md': skillText('wordy').replace('\n---\n', '\nauthor: Ada\n---\n'),
    'skills/spaced/SKILL.md': skillText('spaced'),
    'skills/spaced/two words.md': 'A',
  });
  for (const [name, code, why] of [
    ['nosuch', 3, 'no skill named nosuch'],
    ['nested', 2, 'agents write the skill to'],
    ['wordy', 2, 'animus skill check wordy --strict'],
    ['spaced', 2, 'agents cannot write such a file'],
  ] as const)
    expect(await animus('skill', 'adopt', name), name).toMatchObject({ code, stderr: expect.stringContaining(why) });
});

test('stats, stale skills and status say how skills were used', async () => {
  const db = target.database;
  const work = await beginFocus(db);
  await activateSkills(db, work.key, [
    { name: 'used', version: null, hash: await storePackage(db, 'used', 'u'), reason: 't' },
  ]);
  await db.query('update animus.work_items set cost_usd = 0.5 where id = $1', [work.id]);
  await db.query(`select animus.complete_work($1, $2, '{}')`, [work.id, work.leaseToken]);
  await reportSkills(
    db,
    'here',
    ['used', 'unused'].map((name) => ({ name, origin: 'person', hash: 'h' })),
    20,
  );
  await db.query(`update animus.skill_names set first_seen_at = now() - interval '21 days'`);
  expect((await animus('skill', 'stats')).stdout).toMatch(/^SKILL +USED .*\nused +1 +.* 1 +100 % +\$0\.5000 +0/);
  expect(JSON.parse((await animus('skill', 'stats', 'used', '--json')).stdout).skills).toMatchObject([
    {
      skill: 'used',
      with: { items: 1, completed_share: 1, cost_usd: 0.5 },
      without: { items: 0, completed_share: null },
    },
  ]);
  expect((await animus('skill', 'stats', 'unused')).stderr).toContain('was not used in this time');
  expect((await animus('skill', 'list', '--stale')).stdout).toMatch(/^NAME +BY .*\nunused +person +never/);
  expect((await animus('status')).stdout).toContain('1 skill not used for 20 days: animus skill list --stale');
  expect(JSON.parse((await animus('status', '--json')).stdout).stale_skills).toEqual({ count: 1, days: 20 });
});
