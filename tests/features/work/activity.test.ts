/** Sums for charts are exact: from the rows, when daemons have added them up, and after the items are gone. */
import { expect, test } from 'vitest';
import { addUpSpend } from '../../../src/features/budgets/add-up-spend.ts';
import { countActivity } from '../../../src/features/work/service.ts';
import { testApi } from '../../support/api.ts';
import { createPerson } from '../../support/people.ts';
import { readPeriod } from './read-period.ts';

const { start, owner } = testApi();

interface Row {
  readonly at: string;
  readonly faculty: string | null;
  readonly [name: string]: unknown;
}

/** Submits items of a faculty, for a person. */
async function submit(faculty: string, count: number, person: string): Promise<string[]> {
  const rows = await owner().query<{ id: string }>(
    'insert into animus.work_items (faculty) select $1 from generate_series(1, $2) returning id',
    [faculty, count],
  );
  const ids = rows.map(({ id }) => id);
  await owner().query('update animus.work_items set submitted_by = $2 where id = any ($1)', [ids, `person:${person}`]);
  return ids;
}

/** Ends claimed items after so many seconds, by their submission. */
async function end(id: string, state: 'completed' | 'dead', seconds: number): Promise<void> {
  await owner().transaction(async (tx) => {
    await tx.query('set local session_replication_role = replica');
    await tx.query(
      `update animus.work_items set state = $2, resolved_at = clock_timestamp(), created_at = clock_timestamp() - $3::float8 * interval '1 second' where id = $1`,
      [id, state, seconds],
    );
  });
}

const totals = (rows: readonly Row[], name: string) => rows.reduce((sum, row) => sum + Number(row[name]), 0);
const NAMES = ['submitted', 'completed', 'dead', 'cancelled', 'merged', 'usd', 'input_tokens', 'output_tokens'];
const sums = (rows: readonly Row[]) => Object.fromEntries(NAMES.map((name) => [name, totals(rows, name)]));

test('what was submitted, has ended and was spent', async () => {
  const { call } = await start();
  await createPerson(owner(), 'rita', 'reader');
  const read = async (person: string, query = '') =>
    (await call(person, 'GET', `/activity?by=minute${query}`)).body as { items: Row[]; partial: boolean };
  const [first, second, third, fourth] = (await submit('clerk', 6, 'sam')) as [string, string, string, string];
  await submit('cook', 3, 'tim');
  for (const [id, seconds] of [
    [first, 10],
    [second, 100],
  ] as const)
    await end(id, 'completed', seconds);
  await end(third, 'dead', 1);
  await owner().query('select animus.cancel_work($1)', [fourth]);
  // It has died, whatever became of it.
  await owner().query('select animus.retry_work($1)', [third]);
  await owner().query(
    `insert into animus.spend_calls (faculty, model, day, usd, input_tokens, output_tokens, submitter, lost_usd) values
       ('clerk', 'p/m', (now() at time zone 'UTC')::date, 0.5, 100, 10, 'person:sam', 0.25), ('cook', 'p/m', (now() at time zone 'UTC')::date, null, 7, 1, 'person:tim', 0)`,
  );

  const all = {
    submitted: 9,
    completed: 2,
    dead: 1,
    cancelled: 1,
    merged: 0,
    usd: 0.75,
    input_tokens: 107,
    output_tokens: 11,
  };
  const check = async () => {
    const { items, partial } = await read('rita');
    expect(sums(items)).toEqual(all);
    expect({ rows: items.length, partial }).toEqual({ rows: 61, partial: false });
    const [some] = items.filter((row) => row['completed'] === 2);
    // Of 1, 10, 100 and less than a second.
    expect(some).toBeDefined();
    expect(Number(some!['p95_seconds'])).toBeGreaterThan(90);
    expect(Number(some!['p95_seconds'])).toBeLessThan(110);
    expect(sums((await read('sam')).items)).toEqual({
      ...all,
      submitted: 6,
      usd: 0.75,
      input_tokens: 100,
      output_tokens: 10,
    });
    expect(sums((await read('tim')).items)).toMatchObject({ submitted: 3, completed: 0, usd: 0 });
    expect(sums((await read('rita', '&faculty=cook,other')).items)).toMatchObject({
      submitted: 3,
      completed: 0,
      input_tokens: 7,
    });
    const apart = (await read('rita', '&by_faculty=true')).items;
    expect(new Set(apart.map(({ faculty }) => faculty))).toEqual(new Set(['clerk', 'cook']));
    expect(sums(apart)).toEqual(all);
    for (const by of ['hour', 'day'])
      expect(sums((await call('rita', 'GET', `/activity?by=${by}`)).body.items)).toEqual(all);
  };
  await check();
  await readPeriod(owner(), 'activity', (db) => countActivity(db, 2));
  await check();
  await addUpSpend(owner(), 1000);
  await check();
  // A second reading adds nothing.
  await readPeriod(owner(), 'activity', (db) => countActivity(db, 2)).catch(() => null);
  await check();
  await owner().query('select animus.cancel_works(array(select id from animus.work_items where resolved_at is null))');
  await readPeriod(owner(), 'activity', (db) => countActivity(db, 1000));
  const before = sums((await read('rita')).items);
  await owner().query('delete from animus.work_items');
  expect(sums((await read('rita')).items)).toEqual(before);
});

test('a period has at most a thousand intervals, and its bounds are those of intervals', async () => {
  const { call } = await start();
  await createPerson(owner(), 'rita', 'reader');
  const of = (query: string) => call('rita', 'GET', `/activity?${query}`);
  const { body } = await of('by=hour&since=2026-03-01T10:30:00Z&until=2026-03-01T13:00:00Z');
  expect(body.items.map(({ at }: Row) => at)).toEqual([
    '2026-03-01T10:00:00.000Z',
    '2026-03-01T11:00:00.000Z',
    '2026-03-01T12:00:00.000Z',
  ]);
  expect((await of('by=minute&since=2026-03-01T00:00:00Z&until=2026-03-01T16:40:00Z')).body.items).toHaveLength(1000);
  expect(await of('by=minute&since=2026-03-01T00:00:00Z&until=2026-03-01T16:40:01Z')).toMatchObject({
    status: 422,
    body: { code: 'work.invalid' },
  });
  expect((await of('by=day&since=2026-03-02T00:00:00Z&until=2026-03-01T00:00:00Z')).body.items).toEqual([]);
  expect((await of('by=week')).status).toBe(400);
});
