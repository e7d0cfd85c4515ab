import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from '../../../cli/run-cli.ts';
import { testDatabase } from '../../../support/database.ts';

const db = testDatabase();
let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'cli-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Items of a faculty of its own that were cancelled so many hours ago, newest first. */
async function cancelled(...hoursAgo: number[]) {
  const faculty = `f${randomUUID()}`;
  const rows = await db.database.query<{ id: string }>(
    `insert into animus.work_items (faculty) select $1 from generate_series(1, $2) returning id`,
    [faculty, hoursAgo.length],
  );
  const ids = rows.map(({ id }) => id);
  for (const [nth, id] of ids.entries()) {
    await db.database.query('select animus.cancel_work($1)', [id]);
    await db.database.query(
      `update animus.work_items set resolved_at = animus.now() - $2 * interval '1 hour' where id = $1`,
      [id, hoursAgo[nth]],
    );
  }
  return { faculty, ids };
}

const states = async (ids: readonly string[]) =>
  (
    await db.database.query<{ state: string }>(
      'select state from animus.work_items where id = any ($1::uuid[]) order by id',
      [ids],
    )
  ).map(({ state }) => state);

const animus = (...argv: string[]) =>
  run(['work', ...argv], { cwd: directory, env: { DATABASE_URL: db.connectionString, ANIMUS_HOME: directory } });

test('retry queues all cancelled work of a faculty that ended since', async () => {
  const { faculty, ids } = await cancelled(30, 1, 0.5);
  const others = await cancelled(1);
  const selection = ['--state', 'cancelled', '--faculty', faculty, '--since', '2h'];
  const dry = await animus('retry', ...selection, '--dry-run');
  expect(dry).toMatchObject({ code: 0, stdout: expect.stringMatching(/^2 items would be retried\nFACULTY/) });
  expect(await states(ids)).toEqual(['cancelled', 'cancelled', 'cancelled']);
  const counted = await animus('retry', ...selection, '--dry-run', '--json');
  expect(JSON.parse(counted.stdout)).toEqual({
    dry_run: true,
    matching: 2,
    by_faculty: [{ faculty, state: 'cancelled', items: 2 }],
  });
  expect(await animus('retry', ...selection)).toMatchObject({ code: 0, stdout: 'retried  2 items\n' });
  expect(await states(ids)).toEqual(['cancelled', 'queued', 'queued']);
  expect(await states(others.ids)).toEqual(['cancelled']);
  const decisions = await db.database.query(
    `select from animus.decisions where action = 'retry' and work_item_id = any ($1::uuid[])`,
    [ids],
  );
  expect(decisions).toHaveLength(2);
});

test('cancel ends all open work of a faculty, in more than one page', async () => {
  const faculty = `f${randomUUID()}`;
  await db.database.query(`insert into animus.work_items (faculty) select $1 from generate_series(1, 501)`, [faculty]);
  const { code, stdout } = await animus('cancel', '--faculty', faculty, '--reason', 'all of it', '--json');
  expect(code).toBe(0);
  const { cancelled: done, left } = JSON.parse(stdout) as { cancelled: string[]; left: unknown[] };
  expect(done).toHaveLength(501);
  expect(left).toEqual([]);
  const [row] = await db.database.query(
    `select count(*)::int as n from animus.work_items where faculty = $1 and state = 'cancelled' and error ->> 'message' = 'all of it'`,
    [faculty],
  );
  expect(row).toEqual({ n: 501 });
  expect(await animus('cancel', '--faculty', faculty)).toMatchObject({
    code: 0,
    stdout: 'cancelled  0 items\n',
    stderr: 'animus: no item matches\n',
  });
});

test('what cannot be retried is named, and the rest is retried', async () => {
  const { faculty, ids } = await cancelled(1);
  const insert = `insert into animus.work_items (faculty, dedup_key) values ($1, 'k') returning id`;
  const [first] = await db.database.query<{ id: string }>(insert, [faculty]);
  await db.database.query('select animus.cancel_work($1)', [first!.id]);
  const [active] = await db.database.query<{ id: string }>(insert, [faculty]);
  const { code, stderr } = await animus('retry', '--faculty', faculty);
  expect(code).toBe(5);
  expect(stderr).toContain(`the same work is already active as ${active!.id}`);
  expect(await states([...ids, first!.id])).toEqual(['queued', 'cancelled']);
});

test.each<[string, string[]]>([
  ['give the id of an item, or select', ['retry']],
  ['give the id of an item, or select', ['cancel', '--dry-run']],
  ['not both', ['cancel', '0123abcd', '--state', 'queued']],
  ['not both', ['retry', '0123abcd', '--dry-run']],
  ['work that is completed cannot be retried; expected --state dead, cancelled', ['retry', '--state', 'completed']],
  ['work that is dead cannot be cancelled', ['cancel', '--state', 'dead']],
  ['how long ago: 90s, 10m, 2h, 1d', ['retry', '--since', '+2h']],
])('%s: %j', async (expected, argv) => {
  const { code, stderr } = await animus(...argv);
  expect(code).toBe(2);
  expect(stderr).toContain(expected);
});
