import { expect, test } from 'vitest';
import { write } from '../../store/skills/written-skills.ts';
import { testApi } from '../../support/api.ts';
import { beginFocus } from '../../support/begun-focus.ts';
import { createPerson } from '../../support/people.ts';

const { start, owner } = testApi();

test('a skill is shown, compared, approved, denied and archived', async () => {
  const { call } = await start();
  await createPerson(owner(), 'olga', 'operator');
  const work = await beginFocus(owner());
  const name = 'release-notes';
  const first = await write(owner(), work, name, { mode: 'ask', text: 'one\n' });
  const decide = (action: string, body?: object) =>
    call('olga', 'POST', `/skills/${name}/${action}`, body === undefined ? {} : { body });
  expect(await decide('approve', { hash: 'f'.repeat(64) })).toMatchObject({
    status: 409,
    body: { code: 'work.state' },
  });
  expect((await call('alice', 'POST', `/skills/${name}/approve`)).status).toBe(403);
  expect((await decide('approve', { hash: first.hash, note: 'yes' })).body).toEqual({ name, version: 1 });
  await write(owner(), work, name, { mode: 'ask', base: 1, text: 'one\ntwo\n' });
  expect((await call('olga', 'GET', `/skills/${name}/versions/2`)).body).toMatchObject({
    state: 'proposed',
    base: 1,
    files: [{ path: 'SKILL.md', content: Buffer.from('one\ntwo\n').toString('base64') }],
  });
  const diff = (await call('olga', 'GET', `/skills/${name}/diff`)).body;
  expect(diff).toMatchObject({ to: { version: 2 }, from: 1, files: [{ path: 'SKILL.md' }] });
  expect(diff.files[0].patch).toContain('+two');
  expect((await call('olga', 'GET', `/skills/${name}/diff?to=1`)).body.from).toBe(null);
  for (const query of ['to=7', 'from=7', 'from=7&to=1'])
    expect(await call('olga', 'GET', `/skills/${name}/diff?${query}`)).toMatchObject({
      status: 404,
      body: { detail: expect.stringContaining('version 7; it has versions 2 (proposed), 1 (current)') },
    });
  // What is not decided yet is for those who see all work, and whose work wrote it.
  expect((await call('alice', 'GET', `/skills/${name}/versions/2`)).status).toBe(404);
  expect((await call('alice', 'GET', `/skills/${name}/diff`)).body.to.version).toBe(1);
  expect((await decide('deny', { note: 'no' })).body).toEqual({ name, version: 2 });
  expect((await call('olga', 'GET', `/skills/${name}`)).body.items).toMatchObject([
    { version: 2, state: 'rejected', decided_by: 'person:olga', decision_note: 'no' },
    { version: 1, state: 'current' },
  ]);
  expect((await decide('rollback', { to: 2 })).body.detail).toContain(
    'version 2 of skill release-notes was never current',
  );
  expect((await decide('rollback', { to: 9 })).status).toBe(404);
  await write(owner(), work, name, { mode: 'ask', base: 1, text: 'three\n' });
  expect((await decide('approve')).body).toEqual({ name, version: 3 });
  expect((await call('alice', 'POST', `/skills/${name}/rollback`, { body: {} })).status).toBe(403);
  expect((await decide('rollback', { note: '3 is wrong' })).body).toEqual({ name, version: 4 });
  expect((await call('olga', 'GET', `/skills/${name}/versions/4`)).body).toMatchObject({
    state: 'current',
    base: 3,
    content_hash: first.hash,
    decided_by: 'person:olga',
    decision_note: '3 is wrong',
  });
  expect((await decide('archive')).body).toEqual({ name, version: 4 });
  expect((await decide('archive')).status).toBe(409);
  expect((await call('olga', 'POST', '/skills/nothing/archive')).status).toBe(404);
});

test('statistics are for those who see all work', async () => {
  const { call } = await start();
  await createPerson(owner(), 'rita', 'reader');
  await owner().query(
    `insert into animus.skill_names (place, name, origin, content_hash, first_seen_at, seen_at) values ('p', 'old-skill', 'person', repeat('a', 64), now() - interval '90 days', now())`,
  );
  expect((await call('rita', 'GET', '/stale-skills')).body.items).toMatchObject([
    { name: 'old-skill', last_used_at: null },
  ]);
  const work = await beginFocus(owner());
  await owner().query(
    `insert into animus.skill_packages values (repeat('a', 64), 'old-skill', 1, now(), current_date)`,
  );
  await owner().query(
    `insert into animus.skill_activations (focus_id, work_item_id, faculty, skill, content_hash, reason, activated_at)
     values ($1, $2, $3, 'old-skill', repeat('a', 64), 'auto', now())`,
    [work.key.focusId, work.id, work.faculty],
  );
  expect((await call('rita', 'GET', '/skill-stats')).body.items).toMatchObject([
    { skill: 'old-skill', activations: 1, with_it: { items: 0 } },
  ]);
  expect((await call('rita', 'GET', `/work/${work.id}/skills`)).body.items).toMatchObject([
    { skill: 'old-skill', reason: 'auto' },
  ]);
  expect((await call('rita', 'GET', '/memory-stats')).body.layers.global).toMatchObject({ memories: 0 });
  for (const path of ['/skill-stats', '/stale-skills', '/memory-stats']) {
    expect((await call('alice', 'GET', path)).status).toBe(403);
  }
});
