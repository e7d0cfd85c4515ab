/** The doctor compares what a daemon uses with the limits of its login, its database and the server. */
import { expect, test } from 'vitest';
import { asAdmin, testDatabase } from '../../support/database.ts';
import { examinedSite, FACULTY } from './examined-site.ts';

const target = testDatabase();
const { doctor, write } = examinedSite();
const database = () => new URL(target.connectionString).pathname.slice(1);

async function connectionsOf(poolSize?: number) {
  write({
    'faculties/clerk.toml': FACULTY.replace(/fallback.*\n/, ''),
    ...(poolSize && { 'animus.toml': `[daemon]\npool_size = ${poolSize}\n` }),
  });
  const { findings } = await doctor([], { databaseUrl: target.connectionString });
  // Logins of other tests of this server may have limits, too.
  const isOwn = (detail: string) => !detail.startsWith('the login ') || detail.includes(database());
  return findings.filter(({ check, detail }) => check === 'connections' && isOwn(detail));
}

test('limits that one daemon reaches are problems, with the statement that raises them', async () => {
  const [daemon, other] = ['daemon', 'other'].map((name) => `${database()}_${name}`);
  await asAdmin((admin) =>
    admin.query(
      `create role ${daemon} login connection limit 3 in role animus_daemon; create role ${other} login connection limit 3 in role animus_submitter;
       alter database ${database()} connection limit 10`,
    ),
  );
  const found = await connectionsOf();
  const few = await connectionsOf(2);
  await asAdmin((admin) =>
    admin.query(
      `drop role ${daemon}; drop role ${other}; alter database ${database()} connection limit -1`,
    ),
  );
  expect(found).toEqual([
    {
      check: 'connections',
      state: 'problem',
      detail: `the database ${database()} allows 10 connections, and a daemon uses up to 11: daemon.pool_size and one to listen`,
      remedy: `alter database ${database()} connection limit 11 (for several daemons, so many for each), or lower daemon.pool_size`,
    },
    expect.objectContaining({
      state: 'problem',
      detail: expect.stringContaining(`the login ${daemon} may have 3 connections, and a daemon uses up to 11`),
      remedy: expect.stringContaining(`alter role ${daemon} connection limit 11`),
    }),
  ]);
  expect(few).toEqual([]);
});

test('a server with too few connections is named', async ({ skip }) => {
  const [row] = await target.database.query<{ most: number }>(`select current_setting('max_connections')::int as most`);
  if (row!.most > 500) skip('this server allows more connections than a pool may have');
  expect(await connectionsOf(500)).toEqual([
    expect.objectContaining({
      detail: expect.stringMatching(/^max_connections of the server leaves \d+ connections, and a daemon uses up to 501/),
      remedy: expect.stringContaining('raise max_connections, and restart the server'),
    }),
  ]);
});
