/** Promise: a first insert needs no psql, and says what the statement returned or why it failed. */
import { expect, test } from 'vitest';
import { embeddedHome, testDatabase } from '../../support/database.ts';
import { createLogin, dropLogins } from '../../support/role-login.ts';
import { run } from '../run-cli.ts';
import { commandSite } from '../work/command-site.ts';

const db = testDatabase();
const { animus } = commandSite(db);
const INSERT = `insert into animus.work_items (faculty, description) values ('engineer', 'x') returning id, state`;

test('prints the rows of the last statement, as a table or as JSON', async () => {
  const inserted = await animus(['db', 'sql', INSERT]);
  expect(inserted).toMatchObject({ code: 0, stderr: 'animus: 1 row\n' });
  const [, id] = /^id +state\n([0-9a-f-]{36}) +queued\n$/.exec(inserted.stdout)!;
  const { stdout } = await animus(['db', 'sql', '-', '--json'], {
    stdin: `select 1; select id, params, null as nothing, created_at, '\\xff'::bytea as bytes from animus.work_items where id = '${id}'`,
  });
  expect(JSON.parse(stdout).rows).toEqual([expect.objectContaining({ id, params: {}, nothing: null })]);
  const shown = await animus([
    'db',
    'sql',
    `select '{"a": 1}'::jsonb, null as n, timestamptz '2026-01-02Z' as t, '\\xff'::bytea as b`,
  ]);
  expect(shown.stdout).toMatch(/^\{"a":1\} +2026-01-02T00:00:00.000Z +\\xff$/m);
  expect(await animus(['db', 'sql', 'update animus.pauses set reason = reason'])).toEqual({
    code: 0,
    stdout: '',
    stderr: 'animus: done; no rows\n',
  });
});

test('several statements are done all or none, and the message of the server is shown', async () => {
  const { code, stdout, stderr } = await animus(['db', 'sql', `${INSERT}; selec 1`]);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toBe('animus: the statement failed: syntax error at or near "selec" (42601)\n');
  const both = `insert into animus.work_items (faculty) values ('undone'); select 1/0`;
  expect((await animus(['db', 'sql', both])).stderr).toBe('animus: the statement failed: division by zero (22012)\n');
  expect(await db.database.query(`select from animus.work_items where faculty = 'undone'`)).toEqual([]);
});

test('a login that may only submit gets the id of its item from own_work', async () => {
  const logins: string[] = [];
  const env = { DATABASE_URL: await createLogin(db.connectionString, 'animus_submitter', logins) };
  try {
    expect(await animus(['db', 'sql', INSERT], { env })).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('permission denied for table work_items'),
    });
    const own = await animus(['db', 'sql', INSERT.replace('work_items', 'own_work')], { env });
    expect(own).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[0-9a-f-]{36} +queued$/m) });
  } finally {
    await dropLogins(logins);
  }
});

test('works on an embedded database without a daemon', async () => {
  const env = { ANIMUS_HOME: embeddedHome() };
  const { code, stdout } = await run(['db', 'sql', INSERT], { env });
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^[0-9a-f-]{36} +queued$/m)]);
});
