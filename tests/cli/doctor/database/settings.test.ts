/** The doctor and the settings of a server: each that matters is named with its cure, and what works is not a problem. */
import { expect, test } from 'vitest';
import { asAdmin, testDatabase } from '../../../support/database.ts';
import { startTransactionPooler } from '../../../support/transaction-pooler.ts';
import { examinedSite, FACULTY } from '../examined-site.ts';

const target = testDatabase();
const { doctor, write } = examinedSite();
const database = () => new URL(target.connectionString).pathname.slice(1);
const login = () => new URL(target.connectionString).username;

/** By a session of another database, which these settings do not reach. */
const set = (sql: string) => asAdmin((admin) => admin.query(`alter database ${database()} ${sql}`));

async function settingsOf(databaseUrl = target.connectionString) {
  write({ 'faculties/clerk.toml': FACULTY.replace(/fallback.*\n/, '') });
  const { code, findings } = await doctor([], { databaseUrl });
  // Which logins have rights on animus depends on the other tests of this server.
  const cure = (remedy: string | null) =>
    remedy
      ?.replace(`alter role ${login()} in database ${database()} `, '… ')
      .replace(`for all logins, as the owner of the database: `, 'all: ')
      .replace(`alter database ${database()} `, '')
      .replace(/; for one application: alter role \S+ in database \S+ set .*/, '');
  const settings = findings.filter(({ check }) => check === 'settings');
  return { code, settings: settings.map(({ state, detail, remedy }) => [state, detail, cure(remedy) ?? null]) };
}

test('a server as it comes has no finding', async () => {
  expect(await settingsOf()).toEqual({ code: 0, settings: [] });
});

test('what animus sets itself is fine, and what applications feel is a note with its cure', async () => {
  const values = {
    DateStyle: "'German'",
    default_transaction_isolation: "'serializable'",
    idle_session_timeout: "'5s'",
    standard_conforming_strings: 'off',
  };
  for (const [name, value] of Object.entries(values)) await set(`set ${name} = ${value}`);
  const { code, settings } = await settingsOf();
  await set('reset all');
  expect(settings).toEqual([
    ['ok', expect.stringMatching(/^DateStyle = "German, DMY": animus sets ISO in its own sessions$/), null],
    [
      'note',
      expect.stringMatching(
        /"serializable", set by alter database \S+: .*needs no change; an application cannot cancel/,
      ),
      "all: set default_transaction_isolation = 'read committed'",
    ],
    ['ok', 'idle_session_timeout = 5.0 s: animus raises it in its own sessions to 60 s', null],
    ['ok', expect.stringMatching(/^standard_conforming_strings = "off"/), null],
  ]);
  expect(code).toBe(0);
});

test.each([
  ['default_transaction_read_only', 'on', "all: begin read write; set default_transaction_read_only = 'off'; commit"],
  ['session_replication_role', 'replica', "all: set session_replication_role = 'origin'"],
])('%s = %s, with which no work can be submitted, is a problem', async (name, value, cure) => {
  await set(`set ${name} = '${value}'`);
  const { code, settings } = await settingsOf();
  await set('reset all');
  expect(settings).toEqual([['problem', expect.stringContaining(`${name} = "${value}"`), cure]]);
  expect(code).toBe(1);
});

test('settings of other roles that applications feel are named with the role, if it may use animus', async () => {
  const role = `${database()}_app`;
  const stranger = `${database()}_reports`;
  await asAdmin((admin) => admin.query(`create role ${role} in role animus_submitter; create role ${stranger}`));
  for (const name of [role, stranger])
    await asAdmin((admin) =>
      admin.query(`alter role ${name} in database ${database()} set default_transaction_isolation = 'repeatable read'`),
    );
  const { code, settings } = await settingsOf();
  await asAdmin((admin) => admin.query(`drop role ${role}; drop role ${stranger}`));
  expect(settings).toEqual([
    [
      'note',
      expect.stringContaining(`"repeatable read" of role ${role}, set by alter role ${role}: `),
      expect.stringMatching(new RegExp(`^alter role ${role} in database ${database()} set `)),
    ],
  ]);
  expect(code).toBe(0);
});

test('the cure is where the value is set, and the logins that it holds for are named, without those that have their own', async () => {
  const [daemon, own] = ['daemon', 'own'].map((name) => `aaa_${database()}_${name}`);
  await asAdmin((admin) =>
    admin.query(
      `create role ${daemon} login in role animus_daemon; create role ${own} login in role animus_submitter;
       alter role ${own} in database ${database()} set default_transaction_read_only = off`,
    ),
  );
  const found = async (name: string, value: string, url?: string) => {
    if (url === undefined) await set(`set ${name} = '${value}'`);
    const { settings } = await settingsOf(url);
    await set('reset all');
    return settings.find(([state]) => state !== 'ok')!;
  };
  const readOnly = await found('default_transaction_read_only', 'on');
  const isolation = await found('default_transaction_isolation', 'serializable');
  const url = new URL(target.connectionString);
  url.searchParams.set('options', '-c default_transaction_read_only=on');
  const given = await found('', '', url.href);
  await asAdmin((admin) => admin.query(`drop role ${daemon}; drop role ${own}`));
  expect(readOnly[1]).toMatch(new RegExp(`it also applies to .*${daemon}`));
  expect(readOnly[1]).not.toContain(own);
  // A daemon's own sessions are read committed.
  expect(isolation[1]).toContain(own);
  expect(isolation[1]).not.toContain(daemon);
  expect(given.slice(1)).toEqual([
    expect.stringContaining('set in DATABASE_URL: '),
    expect.stringContaining("leave it out there: default_transaction_read_only = 'off'"),
  ]);
});

test('a pooler that does not keep what animus sets is a problem where times could not be read', async () => {
  await set(`set DateStyle = 'German'`);
  const pooler = await startTransactionPooler(target.connectionString, 2);
  const { settings } = await settingsOf(pooler.url);
  await set('reset all');
  expect(settings).toEqual([
    ['problem', expect.stringContaining('a pooler does not keep it'), expect.stringContaining("set DateStyle = 'ISO'")],
  ]);
});
