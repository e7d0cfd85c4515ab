/** The doctor and logins: it compares what a daemon uses with the limits of its login, and misses no right that an application need not have. */
import { afterEach, expect, test } from 'vitest';
import { asAdmin, testDatabase } from '../../../support/database.ts';
import { createLogin, dropLogins } from '../../../support/role-login.ts';
import { examinedSite, FACULTY } from '../examined-site.ts';

const target = testDatabase();
const { doctor, write } = examinedSite();
const logins: string[] = [];
afterEach(() => dropLogins(logins.splice(0)));
const database = () => new URL(target.connectionString).pathname.slice(1);

async function connectionsOf(poolSize: number, databaseUrl = target.connectionString) {
  write({
    'faculties/clerk.toml': FACULTY.replace(/fallback.*\n/, ''),
    'animus.toml': `[daemon]\npool_size = ${poolSize}\n`,
  });
  const { findings } = await doctor([], { databaseUrl });
  return findings.filter(({ check }) => check === 'connections');
}

test('limits that one daemon reaches are problems of its login and of the database, with the statement that raises them', async () => {
  const url = await createLogin(target.connectionString, 'animus_daemon', logins);
  const ofApplication = await createLogin(target.connectionString, 'animus_submitter', logins);
  const [daemon, application] = logins;
  await asAdmin((admin) =>
    admin.query(
      `alter role ${daemon} connection limit 5; alter role ${application} connection limit 5; alter database ${database()} connection limit 10`,
    ),
  );
  const found = await connectionsOf(10, url);
  const few = await connectionsOf(4, url);
  const other = await connectionsOf(10, ofApplication);
  await asAdmin((admin) => admin.query(`alter database ${database()} connection limit -1`));
  const ofDatabase = {
    check: 'connections',
    state: 'problem',
    detail: `the database ${database()} allows 10 connections, and a daemon uses up to 11: daemon.pool_size plus one to listen`,
    remedy: `alter database ${database()} connection limit 11 (with several daemons, that many for each), or lower daemon.pool_size`,
  };
  expect(found).toEqual([
    ofDatabase,
    expect.objectContaining({
      state: 'problem',
      detail: expect.stringContaining(`the login ${daemon} may have 5 connections, and a daemon uses up to 11`),
      remedy: expect.stringContaining(`alter role ${daemon} connection limit 11`),
    }),
  ]);
  expect(few).toEqual([]);
  expect(other).toEqual([ofDatabase]);
});

test('a server with too few connections is named', async ({ skip }) => {
  const [row] = await target.database.query<{ most: number }>(`select current_setting('max_connections')::int as most`);
  if (row!.most > 500) skip('this server allows more connections than a pool may have');
  expect(await connectionsOf(500)).toEqual([
    expect.objectContaining({
      detail: expect.stringMatching(
        /^max_connections of the server leaves \d+ connections, and a daemon uses up to 501/,
      ),
      remedy: expect.stringContaining('raise max_connections, and restart the server'),
    }),
  ]);
});

test('finds no problem in the rights that the login of an application need not have', async () => {
  write({ 'faculties/clerk.toml': FACULTY.replace(/fallback.*\n/, '') });
  const databaseUrl = await createLogin(target.connectionString, 'animus_submitter', logins);
  const { code, findings } = await doctor([], { databaseUrl });
  expect(findings.filter(({ state }) => state === 'problem')).toEqual([]);
  expect(code).toBe(0);
  for (const name of ['schema', 'retention', 'worktrees'])
    expect(findings).toContainEqual({
      check: name,
      state: 'note',
      detail: expect.stringMatching(/^not checked: the login of an application may not read this and need not/),
      remedy: null,
    });
});
