/** Budgets, grants, changes of many items, what work cost, models and faculties. */
import { expect, test } from 'vitest';
import { parkWork } from '../../../src/store/transcript/waits.ts';
import { askedItem } from '../../store/work/asked-item.ts';
import { testApi } from '../../support/api.ts';
import { askOf } from '../../support/ask-of.ts';
import { beginHeld, beginLimited, limit } from '../../support/budgets.ts';
import { createPerson } from '../../support/people.ts';

const { start, owner } = testApi();

test('budgets: operators set any, submitters lower ones for their items, and see what is left', async () => {
  const { call } = await start();
  await createPerson(owner(), 'olga', 'operator');
  const ofDay = { scope: 'appliance', period: 'day', unit: 'usd' };
  expect((await call('olga', 'PUT', '/budgets', { body: { ...ofDay, amount: 50 } })).body).toEqual({
    ...ofDay,
    subject: null,
  });
  expect(await call('alice', 'PUT', '/budgets', { body: { ...ofDay, amount: 5000 } })).toMatchObject({ status: 403 });
  const { body: item } = await call('alice', 'POST', '/work', { body: { faculty: 'engineer' } });
  const own = { scope: 'item', subject: item.id, unit: 'tokens', amount: 1000, on_exceeded: 'die' };
  expect((await call('alice', 'PUT', '/budgets', { body: own })).status).toBe(200);
  expect((await call('mallory', 'PUT', '/budgets', { body: own })).status).toBe(404);
  expect((await call('alice', 'GET', `/work/${item.id}/budget`)).body.items).toMatchObject([
    { scope: 'appliance', left: 50 },
    { scope: 'item', amount: 1000, left: 1000, on_exceeded: 'die' },
  ]);
  expect((await call('olga', 'GET', '/budgets')).body.items).toMatchObject([
    { ...ofDay, amount: 50, origin: 'operator', set_by: 'person:olga' },
    { ...own, origin: 'submitter' },
  ]);
  expect((await call('alice', 'GET', '/budgets')).status).toBe(403);
  const path = '/budgets?scope=appliance&period=day';
  expect((await call('alice', 'DELETE', path)).status).toBe(403);
  expect((await call('olga', 'DELETE', path)).body).toEqual({ removed: true });
  expect((await call('olga', 'DELETE', path)).body).toEqual({ removed: false });
  expect(
    await call('olga', 'PUT', '/budgets', { body: { ...ofDay, period: 'none', subject: 'x', amount: 1 } }),
  ).toMatchObject({
    status: 422,
  });
});

test('approvals of limits: one entry for all that waits, and an answer that says what holds now and what goes on', async () => {
  const { call } = await start();
  await createPerson(owner(), 'olga', 'operator');
  const name = `f${crypto.randomUUID()}`;
  await limit(owner(), 'faculty', name, 0.5, { period: 'day' });
  const ids: string[] = [];
  for (const usd of [0.6, 0.7, 9]) {
    const work = await beginLimited(owner(), name);
    await beginHeld(owner(), work, 1, usd);
    await parkWork(owner(), work);
    ids.push(work.id);
  }
  const { items } = (await call('olga', 'GET', '/approvals')).body;
  expect(items).toMatchObject([{ subject: 'budget', items: 3, work_items: ids }]);
  expect((await call('olga', 'GET', `/approvals?work_item_id=${ids[1]}`)).body.items).toMatchObject([
    { ask_id: items[0].ask_id, hash: items[0].hash, items: 3, work_items: [ids[1]] },
  ]);
  const decision = { ask_id: items[0].ask_id, hash: items[0].hash };
  const path = `/work/${ids[0]}/approve`;
  const approved = await call('olga', 'POST', path, { body: { ...decision, input: { add: 1 } } });
  expect(approved).toMatchObject({
    status: 200,
    body: {
      ask_id: decision.ask_id,
      grant_id: null,
      budget: { scope: 'faculty', subject: name, unit: 'usd', period: 'day', amount: 1.5, items: 2, waiting: 1 },
    },
  });
  expect(approved.body.budget.work_items.toSorted()).toEqual(ids.slice(0, 2).toSorted());
  const again = await call('olga', 'POST', path, { body: { ...decision, input: { add: 1 } } });
  expect(again).toMatchObject({
    status: 409,
    body: { code: 'work.state', detail: expect.stringContaining('the limit of 1.5 USD') },
  });
  const [left] = (await call('olga', 'GET', '/approvals')).body.items;
  const denied = await call('olga', 'POST', `/work/${ids[2]}/deny`, { body: { ask_id: left.ask_id } });
  expect(denied.body.budget).toMatchObject({ amount: 1.5, items: 1, work_items: [ids[2]], waiting: 0 });
  await owner().query('delete from animus.budget_limits');
});

test('grants: an approval may allow such calls from now on, and the grant can be ended', async () => {
  const { call } = await start();
  await createPerson(owner(), 'olga', 'operator');
  const { id, faculty } = await askedItem(owner(), ['c1', 'c2']);
  const approve = (body: object) => call('olga', 'POST', `/work/${id}/approve`, { body });
  const [first, second] = [await askOf(owner(), id, 'c1'), await askOf(owner(), id, 'c2')];
  const wrong = await approve({ ask_id: first, always: { pattern: 'a\nb' } });
  expect(wrong).toMatchObject({ status: 422, body: { code: 'work.invalid' } });
  const granted = await approve({ ask_id: first, always: { scope: 'faculty', pattern: 'npm test*', seconds: 60 } });
  expect(granted).toMatchObject({ status: 200, body: { ask_id: first, grant_id: expect.stringMatching(/^\d+$/) } });
  expect((await call('olga', 'GET', '/grants')).body.items).toMatchObject([
    { id: granted.body.grant_id, scope: 'faculty', faculty, tool: 'bash', pattern: 'bash(npm test*)' },
  ]);
  expect((await call('alice', 'GET', '/grants')).status).toBe(403);
  const path = `/grants/${granted.body.grant_id}`;
  expect((await call('alice', 'DELETE', path)).status).toBe(403);
  expect((await call('olga', 'DELETE', path)).body.revoked).toBe(true);
  expect((await call('olga', 'DELETE', path)).body.revoked).toBe(false);
  expect((await call('olga', 'DELETE', '/grants/999999')).status).toBe(404);
  expect((await approve({ ask_id: second })).body.grant_id).toBe(null);
});

test('many items: cancelled and retried in pages; one changes only what one may', async () => {
  const { call } = await start();
  await createPerson(owner(), 'olga', 'operator');
  const faculty = 'bulk';
  const submit = async (person: string) => (await call(person, 'POST', '/work', { body: { faculty } })).body.id;
  const [a1, b1, a2] = [await submit('alice'), await submit('bob'), await submit('alice')];
  expect((await call('alice', 'POST', '/bulk/cancel', { body: { faculty, dry_run: true } })).body).toEqual({
    matching: [{ faculty, state: 'queued', items: 2 }],
    changed: [],
    left: [],
    next: null,
  });
  expect((await call('alice', 'POST', '/bulk/cancel', { body: { faculty, reason: 'no' } })).body.changed).toEqual([
    a1,
    a2,
  ]);
  expect((await call('olga', 'GET', `/work/${b1}`)).body.state).toBe('queued');
  expect((await call('alice', 'POST', '/bulk/retry', { body: { faculty } })).status).toBe(403);
  await call('olga', 'POST', '/bulk/cancel', { body: { faculty } });
  const page = await call('olga', 'POST', '/bulk/retry', { body: { faculty, limit: 2 } });
  expect(page.body).toMatchObject({ changed: [a1, b1], next: b1 });
  const rest = await call('olga', 'POST', '/bulk/retry', { body: { faculty, limit: 2, after: page.body.next } });
  expect(rest.body).toEqual({ matching: null, changed: [a2], left: [], next: null });
  expect(await call('olga', 'POST', '/bulk/cancel', { body: {} })).toMatchObject({ status: 400 });
  expect(await call('olga', 'POST', '/bulk/cancel', { body: { state: 'completed' } })).toMatchObject({ status: 400 });
});

test('an item that another transaction holds is left, and the others are changed', async () => {
  const { call } = await start();
  await createPerson(owner(), 'olga', 'operator');
  const ids: string[] = [];
  for (let n = 0; n < 2; n++) ids.push((await call('olga', 'POST', '/work', { body: { faculty: 'held' } })).body.id);
  await owner().transaction(async (tx) => {
    await tx.query('select from animus.work_items where id = $1 for update', [ids[0]]);
    const { body } = await call('olga', 'POST', '/bulk/cancel', { body: { faculty: 'held' } });
    expect(body).toMatchObject({
      changed: [ids[1]],
      left: [{ id: ids[0], reason: expect.stringContaining('locked') }],
    });
  });
});

test('what work cost, the models, and how daemons serve a faculty', async () => {
  const { call } = await start();
  await createPerson(owner(), 'olga', 'operator');
  const ids: Record<string, string> = {};
  for (const [person, usd] of [
    ['alice', 2],
    ['bob', 5],
  ] as const) {
    ids[person] = (await call(person, 'POST', '/work', { body: { faculty: 'costly' } })).body.id;
    await owner().query('update animus.work_items set cost_usd = $2, turns = 1 where id = $1', [ids[person], usd]);
  }
  const costly = async (person: string, path: string) =>
    (await call(person, 'GET', `${path}${path.includes('?') ? '&' : '?'}since=2026-01-01`)).body.items
      .filter(({ faculty }: { faculty: string }) => faculty === 'costly')
      .map(({ id, usd }: { id: string; usd: number }) => [id, usd]);
  for (const path of ['/spend/items', '/spend/items?order=slowest', '/spend/roots']) {
    expect(await costly('alice', path)).toEqual([[ids['alice'], 2]]);
    expect((await costly('olga', path)).toSorted()).toEqual(
      [
        [ids['alice'], 2],
        [ids['bob'], 5],
      ].toSorted(),
    );
  }
  const models = (await call('alice', 'GET', '/models?provider=anthropic')).body.items;
  expect(models.length).toBeGreaterThan(1);
  expect(models[0]).toMatchObject({ provider: 'anthropic', context_window: expect.any(Number) });
  await owner().query(
    `insert into animus.daemons (id, host, pid, version, max_concurrent, faculties, started_at, seen_at)
     values (gen_random_uuid(), 'here', 1, '1', 1, '{"costly": {"max": 3}}', now(), now())`,
  );
  expect((await call('alice', 'GET', '/faculties/costly')).body).toEqual({
    name: 'costly',
    description: '',
    mode: 'builtin',
    params_schema: null,
    outcome_schema: null,
    daemons: [{ version: '1', host: null, settings: { max: 3 } }],
  });
  expect((await call('alice', 'GET', '/faculties/unknown')).status).toBe(404);
});

test('the runs of a schedule', async () => {
  const { call } = await start();
  await createPerson(owner(), 'olga', 'operator');
  await call('olga', 'POST', '/schedules', { body: { name: 'runs', cron: '0 3 * * *', faculty: 'engineer' } });
  await owner().query(
    `insert into animus.schedule_runs (schedule, due_at, until_at, result, runs, recorded_at) values ('runs', now(), now(), 'missed', 3, now())`,
  );
  expect((await call('olga', 'GET', '/schedules/runs/runs')).body.items).toMatchObject([{ result: 'missed', runs: 3 }]);
  const hidden = await call('alice', 'GET', '/schedules/runs/runs');
  expect(hidden.status).toBe(403);
});
