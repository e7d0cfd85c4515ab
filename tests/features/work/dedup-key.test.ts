/** The dedup key of a person: whoever guesses it learns nothing, and keeps nobody's work from being done. */
import { expect, test } from 'vitest';
import { cancelWork, retryWork } from '../../../src/store/work/operate.ts';
import { claimWork, completeWork } from '../../../src/store/work/work.ts';
import { type TestApi, testApi } from '../../support/api.ts';
import { beginFocus, claimable } from '../../support/begun-focus.ts';
import { createPerson } from '../../support/people.ts';

const { start, owner } = testApi();

const submit = async ({ call }: TestApi, person: string, faculty: string, more: object = {}) =>
  (await call(person, 'POST', '/work', { body: { faculty, dedup_key: 'ci-811', ...more } })).body;
const bySql = async (faculty: string) =>
  (
    await owner().query<{ id: string; state: string; merged_into: string | null }>(
      `insert into animus.work_items (faculty, dedup_key) values ($1, 'ci-811') returning id, state, merged_into`,
      [faculty],
    )
  )[0]!;
const keys = async () => (await owner().query('select from animus.active_keys')).length;

test('is a key of its own: an equal one of others says and changes nothing', async () => {
  const api = await start();
  await createPerson(owner(), 'olga', 'operator');
  const sql = await bySql('shared');
  const first = await submit(api, 'alice', 'shared');
  expect(first).toMatchObject({ state: 'queued', merged_into: null });
  for (const other of ['bob', 'olga']) {
    expect(await submit(api, other, 'shared')).toMatchObject({ state: 'queued', merged_into: null });
    // Nor does a key that looks like that of somebody else.
    const forged = { dedup_key: 'person:alice\nci-811' };
    expect(await submit(api, other, 'shared', forged)).toMatchObject({ state: 'queued', merged_into: null });
  }
  expect(await submit(api, 'alice', 'shared')).toMatchObject({ state: 'merged', merged_into: first.id });
  // Logins share theirs, as before.
  expect(await bySql('shared')).toMatchObject({ state: 'merged', merged_into: sql.id });
  expect((await api.call('alice', 'GET', `/work/${first.id}`)).body.dedup_key).toBe('ci-811');
});

test('is free again when the item has ended, or is claimed where the faculty says so', async () => {
  const api = await start();
  const before = await keys();
  const { id } = await submit(api, 'alice', 'freed');
  await completeWork(owner(), await beginFocus(owner(), { id }), {}, null);
  expect(await keys()).toBe(before);
  const again = await submit(api, 'alice', 'freed');
  expect(again.state).toBe('queued');
  const { freed } = claimable('freed', true);
  await claimWork(owner(), crypto.randomUUID(), { freed: { ...freed!, dedup_until: 'claimed' } }, 1, 60);
  expect(await keys()).toBe(before);
});

test('is taken again by a retry, whoever asks for it', async () => {
  const api = await start();
  const { id } = await submit(api, 'alice', 'retried');
  await cancelWork(owner(), id, 'enough');
  await submit(api, 'bob', 'retried');
  expect(await retryWork(owner(), id)).toBe(id);
  expect(await submit(api, 'alice', 'retried')).toMatchObject({ state: 'merged', merged_into: id });
});

test('holds for child work, too: it belongs to whoever submitted the root', async () => {
  const api = await start();
  const before = await keys();
  const children: string[] = [];
  for (const person of ['alice', 'bob']) {
    const { id: parent } = await submit(api, person, `parent-${person}`, { dedup_key: undefined });
    // As a daemon submits it for a focus.
    const [child] = await owner().query<{ id: string; state: string }>(
      `insert into animus.work_items (faculty, dedup_key, parent_id) values ('child', 'ci-811', $1) returning id, state`,
      [parent],
    );
    expect(child!.state).toBe('queued');
    await owner().query('update animus.work_items set submitted_by = $2 where id = $1', [
      child!.id,
      `person:${person}`,
    ]);
    children.push(child!.id);
    expect(await submit(api, person, 'child')).toMatchObject({ state: 'merged', merged_into: child!.id });
  }
  for (const id of children) await cancelWork(owner(), id, 'enough');
  expect(await keys()).toBe(before);
});

test('a key from before people had their own is freed with its item', async () => {
  const api = await start();
  const before = await keys();
  const { id } = await submit(api, 'alice', 'earlier');
  await owner().query(`update animus.active_keys set dedup_key = 'ci-811' where work_item_id = $1`, [id]);
  await cancelWork(owner(), id, 'enough');
  expect(await keys()).toBe(before);
});

test('a login cannot take the key of a person, whatever its own says', async () => {
  const api = await start();
  const before = await keys();
  const forged = async () =>
    (
      await owner().query<{ id: string; state: string; merged_into: string | null }>(
        `insert into animus.work_items (faculty, dedup_key) values ('squatted', $1) returning id, state, merged_into`,
        ['person:alice\nci-811'],
      )
    )[0]!;
  const login = await forged();
  expect(await submit(api, 'alice', 'squatted')).toMatchObject({ state: 'queued', merged_into: null });
  expect(await forged()).toMatchObject({ state: 'merged', merged_into: login.id });
  for (const { id } of await owner().query<{ id: string }>(
    `select id from animus.work_items where faculty = 'squatted' and state = 'queued'`,
  ))
    await cancelWork(owner(), id, 'enough');
  expect(await keys()).toBe(before);
});
