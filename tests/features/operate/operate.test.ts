import { expect, test } from 'vitest';
import { testApi } from '../../support/api.ts';
import { createPerson } from '../../support/people.ts';

const { start, owner } = testApi();

test('schedules: operators add, pause, run and remove them; readers see them', async () => {
  const { call } = await start();
  await createPerson(owner(), 'olga', 'operator');
  await createPerson(owner(), 'rita', 'reader');
  const body = { name: 'nightly', cron: '0 3 * * *', faculty: 'engineer', params: { a: 1 } };
  expect(await call('rita', 'POST', '/schedules', { body })).toMatchObject({ status: 403 });
  expect(await call('olga', 'POST', '/schedules', { body })).toMatchObject({ status: 201, body: { name: 'nightly' } });
  expect(await call('olga', 'POST', '/schedules', { body })).toMatchObject({
    status: 409,
    body: { code: 'schedule.exists' },
  });
  const wrong = await call('olga', 'POST', '/schedules', { body: { ...body, name: 'x', cron: 'never' } });
  expect(wrong).toMatchObject({ status: 422, body: { code: 'schedule.invalid' } });
  expect((await call('rita', 'GET', '/schedules')).body.items).toMatchObject([
    { ...body, missed: 'once', overlap: 'allow', paused: false },
  ]);
  const apart = { ...body, name: 'planner', overlap: 'queue' };
  expect(await call('olga', 'POST', '/schedules', { body: apart })).toMatchObject({ status: 201 });
  expect((await call('rita', 'GET', '/schedules')).body.items[1]).toMatchObject(apart);
  expect(await call('olga', 'POST', '/schedules', { body: { ...apart, overlap: 'never' } })).toMatchObject({
    status: 400,
  });
  await call('olga', 'DELETE', '/schedules/planner');
  const pause = () => call('olga', 'POST', '/schedules/nightly/pause', { body: {} });
  expect([(await pause()).body.changed, (await pause()).body.changed]).toEqual([true, false]);
  expect((await call('olga', 'POST', '/schedules/nightly/resume', { body: {} })).body).toMatchObject({ paused: false });
  const { status, body: ran } = await call('olga', 'POST', '/schedules/nightly/run', { body: {} });
  expect([status, (await call('rita', 'GET', `/work/${ran.work_item_id}`)).body.faculty]).toEqual([201, 'engineer']);
  expect(await call('olga', 'DELETE', '/schedules/nightly')).toMatchObject({ status: 200, body: { removed: true } });
  for (const [method, path] of [
    ['DELETE', ''],
    ['POST', '/run'],
    ['POST', '/pause'],
  ] as const) {
    const given = method === 'POST' ? { body: {} } : {};
    const gone = await call('olga', method, `/schedules/nightly${path}`, given);
    expect(gone).toMatchObject({ status: 404, body: { code: 'schedule.not_found' } });
  }
});

test('pauses, faculties, status and spend', async () => {
  const { call } = await start();
  await createPerson(owner(), 'olga', 'operator');
  expect(await call('olga', 'POST', '/pauses', { body: { faculty: 'engineer', reason: 'red' } })).toMatchObject({
    status: 201,
  });
  expect((await call('olga', 'GET', '/pauses')).body.items).toMatchObject([
    { faculty: 'engineer', reason: 'red', paused_by: 'person:olga' },
  ]);
  expect((await call('olga', 'DELETE', '/pauses/engineer')).body).toEqual({ faculty: 'engineer', resumed: true });
  expect((await call('olga', 'DELETE', '/pauses/engineer')).body).toEqual({ faculty: 'engineer', resumed: false });

  await owner().query(
    `insert into animus.daemons (id, host, pid, version, max_concurrent, faculties, started_at, seen_at)
     values (gen_random_uuid(), 'here', 1, '1', 1, '{"engineer": {}}', now(), now())`,
  );
  const schemas = { params_schema: null, outcome_schema: null };
  const engineer = {
    name: 'engineer',
    description: '',
    mode: 'builtin',
    ...schemas,
    daemons: 1,
    able: 1,
    problem: null,
  };
  expect((await call('olga', 'GET', '/faculties')).body.items).toEqual([{ ...engineer, hosts: ['here'] }]);
  expect((await call('alice', 'GET', '/faculties')).body.items).toEqual([{ ...engineer, hosts: null }]);
  expect((await call('olga', 'GET', '/status')).body).toHaveProperty('daemons');

  await owner().query(
    `insert into animus.spend_calls (faculty, model, day, usd, input_tokens, output_tokens, operation, submitter)
     select 'engineer', 'm', '2026-03-01', 1, 10, 1, 'turn', s from unnest(array['person:alice', 'person:bob']) s`,
  );
  const path = '/spend?since=2026-03-01&until=2026-03-02&by=day,submitter';
  expect((await call('alice', 'GET', path)).body).toMatchObject({
    rows: [{ day: '2026-03-01', submitter: 'person:alice', faculty: null, usd: 1 }],
    total: { usd: 1, input_tokens: 10, calls: 1, groups: 1 },
  });
  expect((await call('olga', 'GET', path)).body.total).toMatchObject({ usd: 2, groups: 2 });
  for (const path of ['/spend', '/spend/items', '/spend/roots'])
    expect(await call('alice', 'GET', path)).toMatchObject({ status: 200 });
  expect(await call('alice', 'GET', '/spend?since=yesterday')).toMatchObject({ status: 400 });
  expect(await call('alice', 'GET', '/spend?since=2026-03-01&by=colour')).toMatchObject({ status: 400 });
});
