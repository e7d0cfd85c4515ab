import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { claimWork } from '../../../src/store/work/work.ts';
import { testApi } from '../../support/api.ts';
import { claimable } from '../../support/begun-focus.ts';
import { createPerson } from '../../support/people.ts';

const { start, owner } = testApi();

/** A daemon that was seen so long ago. */
async function daemon(
  seen: string,
  faculties: object,
  more: { readonly problems?: readonly unknown[]; readonly stopped?: string } = {},
) {
  const id = randomUUID();
  await owner().query(
    `insert into animus.daemons (id, host, pid, version, max_concurrent, faculties, problems, started_at, seen_at, stopped_at)
     values ($1, 'box', 7, '1.2.3', 4, $2, $3, now() - interval '1 day', now() - $4::interval, now() - $5::interval)`,
    [id, JSON.stringify(faculties), JSON.stringify(more.problems ?? []), seen, more.stopped ?? null],
  );
  return id;
}

test('daemons have their load, their heartbeat and their problems; faculties what was reported of them', async () => {
  const { call } = await start();
  await createPerson(owner(), 'rita', 'reader');
  const held = {
    reason: 'its model is not there',
    since: new Date().toISOString(),
    until: new Date(Date.now() + 60_000).toISOString(),
  };
  const busy = await daemon(
    '5 seconds',
    { clerk: { held }, coder: { no_sandbox: 'no engine answers' } },
    { problems: ['faculties/x.toml:3: no such key'] },
  );
  const lost = await daemon('1 hour', { coder: { no_sandbox: 'gone' } });
  await daemon('3 hours', {}, { stopped: '2 hours' });
  for (const faculty of ['clerk', 'clerk', 'clerk'])
    await owner().query('insert into animus.work_items (faculty) values ($1)', [faculty]);
  await claimWork(owner(), busy, claimable('clerk'), 2, 60);

  const { items } = (await call('rita', 'GET', '/daemons')).body;
  expect(items.map(({ id }: { id: string }) => id)).toEqual([busy, lost]);
  expect(items[0]).toMatchObject({
    alive: true,
    slots: 4,
    working: 2,
    faculties: ['clerk', 'coder'],
    problems: ['faculties/x.toml:3: no such key'],
  });
  expect(items[1]).toMatchObject({ alive: false, working: 0 });
  expect((await call('rita', 'GET', '/faculty-problems')).body.items).toMatchObject([
    { faculty: 'clerk', kind: 'held', problem: 'its model is not there', daemon_id: busy, host: 'box' },
    { faculty: 'coder', kind: 'sandbox', problem: 'no engine answers', daemon_id: busy },
  ]);
  await owner().query(
    `insert into animus.faculty_faults values ('clerk', 3, now(), now() + interval '1 minute', '22P02')`,
  );
  expect((await call('rita', 'GET', '/faculty-problems')).body.items[0]).toMatchObject({
    kind: 'claims',
    daemon_id: null,
  });
  for (const path of ['/daemons', '/faculty-problems']) expect((await call('bob', 'GET', path)).status).toBe(403);
});
