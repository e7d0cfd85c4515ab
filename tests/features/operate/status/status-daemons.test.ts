/** What `animus status` says about daemons that were killed, or cannot reach the database: since when, and what becomes of their work. */
import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { registerDaemon, type ServedFaculty } from '../../../../src/store/work/daemons.ts';
import { claimWork } from '../../../../src/store/work/work.ts';
import { run } from '../../../cli/run-cli.ts';
import { emptyQueue } from '../../../store/work/queue-driver.ts';
import { testDatabase } from '../../../support/database.ts';

const target = testDatabase();
const PROBLEM = 'provider anthropic has no key';

beforeEach(async () => {
  await emptyQueue(target.database);
  await target.database.query('delete from animus.daemons');
});

test.each([
  // Seen so many seconds ago; whether it has work, and how long its lease still holds; what is said.
  [20, null, /host:7 +up /, null],
  [
    60,
    null,
    /host:7 +silent /,
    /has not been seen for 6\d(\.\d)? s, since \d{4}-.*Z: it was probably killed, or cannot reach the database; it has no work/,
  ],
  [60, 15, /host:7 +silent /, /the lease of its work runs out in 1\d(\.\d)? s, and other daemons go on with it/],
  [90, -30, /host:7 +silent /, /the lease of its work has run out, and other daemons go on with it/],
  [200, -140, /host:7 +lost /, /it counts as lost; the lease of its work has run out/],
  [200, null, /\n +1 daemon lost without work, last seen 3 min ago\n/, null],
])('seen %i s ago, lease %s', async (seconds, leaseSeconds, row, said) => {
  const id = await daemon(leaseSeconds !== null);
  await target.database.query(
    `update animus.daemons set seen_at = animus.now() - make_interval(secs => $2::float8) where id = $1`,
    [id, seconds],
  );
  if (leaseSeconds !== null)
    await target.database.query(
      `update animus.work_items set lease_expires_at = animus.now() + make_interval(secs => $2::float8) where lease_owner = $1`,
      [id, leaseSeconds],
    );
  const { stdout } = await run(['status'], { env: { DATABASE_URL: target.connectionString } });
  expect(stdout).toMatch(row);
  if (said !== null) expect(stdout).toMatch(said);
  // Only what a daemon says that is there is a problem of now.
  expect(stdout.includes(`problem  ${PROBLEM}`)).toBe(seconds < 45);
  expect(stdout.includes(`it reported before: ${PROBLEM}`)).toBe(said !== null);
});

test('lost daemons come after those that run; those without work are one line', async () => {
  const [busy, ...gone] = [await daemon(true), await daemon(false), await daemon(false)];
  await target.database.query(`update animus.daemons set seen_at = animus.now() - interval '1 hour'`);
  await target.database.query(`update animus.daemons set host = 'busy' where id = $1`, [busy]);
  await target.database.query(
    `update animus.daemons set seen_at = animus.now() - interval '10 minutes' where id = $1`,
    [gone[0]],
  );
  await daemon(false);
  const { stdout } = await run(['status'], { env: { DATABASE_URL: target.connectionString } });
  expect(stdout).toMatch(
    /\n +2 daemons lost without work, last seen 10 min ago\n\nDAEMON .*\nhost:7 +up .*\nbusy:7 +lost .*\n/,
  );
});

test('a faculty that is held is told of, until nothing has tried it for a minute', async () => {
  const held = (seconds: number) => ({
    since: '2026-01-02T03:04:05.678Z',
    until: new Date(Date.now() + seconds * 1000).toISOString(),
    reason: 'HTTP 503',
  });
  await daemon(false, { held: held(5) });
  const status = async () => (await run(['status'], { env: { DATABASE_URL: target.connectionString } })).stdout;
  expect(await status()).toContain(
    'problem  on host:7, faculty f has been waiting since 2026-01-02T03:04Z: HTTP 503\n',
  );
  await target.database.query('delete from animus.daemons');
  await daemon(false, { held: held(-90) });
  expect(await status()).not.toContain('has been waiting');
});

async function daemon(works: boolean, told: Partial<ServedFaculty> = {}): Promise<string> {
  const id = randomUUID();
  const faculties = { f: { max: 1, max_attempts: 3, dedup_until: 'resolved' as const, ...told } };
  await registerDaemon(target.database, {
    id,
    host: 'host',
    pid: 7,
    version: 'test',
    maxConcurrent: 1,
    faculties,
    problems: [PROBLEM],
  });
  if (works) {
    await target.database.query(`insert into animus.work_items (faculty) values ('f')`);
    expect(await claimWork(target.database, id, faculties, 1, 60)).toHaveLength(1);
  }
  return id;
}
