import { beforeEach, expect, test } from 'vitest';
import { openLogin } from '../../../src/http/login/login.ts';
import { run } from '../../cli/run-cli.ts';
import { testDatabase } from '../../support/database.ts';
import { createLogin, dropLogins } from '../../support/role-login.ts';

const target = testDatabase();
const animus = (...argv: string[]) => run(argv, { env: { DATABASE_URL: target.connectionString } });
const json = async (...argv: string[]) => JSON.parse((await animus(...argv, '--json')).stdout);
const visitor = (secret: string) => openLogin({ database: target.database }).visitor(`Bearer ${secret}`);

beforeEach(async () => {
  await target.database.query('delete from animus.tokens; delete from animus.people');
});

test('a token is printed once, alone on standard output, and nothing keeps it', async () => {
  const ran = await animus('token', 'create', 'alice', '--role', 'operator', '--label', 'laptop');
  expect(ran.code).toBe(0);
  expect(ran.stdout).toMatch(/^animus_[\w-]{49}\n$/);
  const secret = ran.stdout.trim();
  expect(ran.stderr).toContain('added alice with role operator');
  expect(ran.stderr).toMatch(/token \w{12} of alice, role operator, is accepted until 20/);
  expect(ran.stderr).not.toContain(secret);
  expect(await visitor(secret)).toMatchObject({
    actor: 'person:alice',
    role: 'operator',
    scopes: ['read', 'work', 'decide'],
  });
  const list = await animus('token', 'list', '--json');
  expect(list.stdout).not.toContain(secret);
  expect(JSON.parse(list.stdout).tokens).toMatchObject([
    { person: 'alice', label: 'laptop', role: 'operator', state: 'valid', last_used_at: expect.any(String) },
  ]);
  const tables = await target.database.query<{ text: string }>(
    `select query_to_xml('select * from animus.' || relname, true, false, '')::text as text from pg_class
      where relnamespace = 'animus'::regnamespace and relkind = 'r'`,
  );
  expect(tables.map(({ text }) => text).join('')).not.toContain(secret);
});

test('scopes, expiry and the role of a token', async () => {
  await animus('person', 'set', 'bob', '--role', 'reader');
  const created = await json('token', 'create', 'bob', '--scopes', 'read,work', '--expires', '2h');
  expect(created).toMatchObject({ person: 'bob', role: 'reader', scopes: ['read', 'work'], person_added: false });
  const hours = (new Date(created.expires_at).getTime() - Date.now()) / 3_600_000;
  expect(hours).toBeGreaterThan(1.9);
  expect(hours).toBeLessThan(2.1);
  expect(await visitor(created.token)).toMatchObject({ role: 'reader', scopes: ['read', 'work'] });
  expect((await json('token', 'create', 'bob', '--expires', 'never')).expires_at).toBeNull();
  expect(await animus('token', 'create', 'bob', '--role', 'operator')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('bob has role reader, so a token of role operator would not have more rights'),
  });
  expect((await animus('token', 'create', 'bob', '--scopes', 'read,everything')).code).toBe(2);
  expect((await animus('token', 'create', '*')).stderr).toContain('a token is for one person, not for *');
  expect((await animus('token', 'create', 'a b')).stderr).toContain('without spaces');
  expect((await json('token', 'list', 'carl')).tokens).toEqual([]);
  expect((await json('token', 'list', 'bob')).tokens).toHaveLength(2);
});

test('a token is revoked by a part of its id, and listed with --all', async () => {
  const { id, token } = await json('token', 'create', 'alice');
  expect(await animus('token', 'revoke', id.slice(-12))).toMatchObject({
    code: 0,
    stdout: `token ${id.slice(-12)} of alice  revoked\n`,
  });
  await expect(visitor(token)).rejects.toThrow('the token has been revoked');
  expect((await json('token', 'list')).tokens).toEqual([]);
  expect((await json('token', 'list', '--all')).tokens).toMatchObject([{ id, state: 'revoked' }]);
  expect((await animus('token', 'revoke', id)).code).toBe(0);
  expect((await animus('token', 'revoke', 'ffffffff')).code).toBe(3);
  expect((await animus('token', 'revoke', 'alice')).code).toBe(2);
});

test('people are listed, changed, disabled and enabled', async () => {
  expect((await animus('person', 'list')).stderr).toContain('nobody is listed');
  expect((await animus('person', 'set', 'alice', '--role', 'operator')).stdout).toBe('alice  operator  enabled\n');
  const { token } = await json('token', 'create', 'alice');
  expect(await json('person', 'disable', 'alice')).toMatchObject({ name: 'alice', disabled_at: expect.any(String) });
  await expect(visitor(token)).rejects.toThrow('alice is disabled');
  expect((await json('token', 'list', '--all')).tokens).toMatchObject([{ state: 'disabled' }]);
  expect((await animus('person', 'enable', 'alice')).stdout).toBe('alice  operator  enabled\n');
  await visitor(token);
  await animus('person', 'set', '*', '--role', 'reader');
  expect((await json('person', 'list')).people).toMatchObject([
    { name: '*', role: 'reader', tokens: 0 },
    { name: 'alice', role: 'operator', tokens: 1, disabled_at: null },
  ]);
  expect((await animus('person', 'list')).stdout).toMatch(/^PERSON +ROLE +TOKENS +STATE/);
  expect((await animus('person', 'set', 'alice')).code).toBe(2);
});

test('a mistyped name is neither disabled nor enabled, and nobody is added', async () => {
  await animus('person', 'set', 'alice', '--role', 'reader');
  for (const verb of ['disable', 'enable']) {
    expect(await animus('person', verb, 'alcie')).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringContaining(
        'nobody is listed as alcie (did you mean alice?); to add them: animus person set alcie --role submitter',
      ),
    });
    await expect(
      target.database.query('select animus.set_person($1, null, $2)', ['alcie', verb === 'disable']),
    ).rejects.toThrow('nobody is listed as alcie');
  }
  expect((await json('person', 'list')).people).toMatchObject([{ name: 'alice', disabled_at: null }]);
  expect((await animus('token', 'create', 'alcie')).stderr).toContain(
    'added alcie with role submitter (did you mean alice?)',
  );
  // `*` stands for everybody who is not listed, and is always there.
  expect((await animus('person', 'disable', '*')).stdout).toBe('*  submitter  disabled\n');
});

test('each change is a decision that names who made it', async () => {
  const { id } = await json('token', 'create', 'dora', '--role', 'operator', '--scopes', 'read');
  await animus('person', 'set', 'dora', '--role', 'reader');
  await animus('person', 'set', 'dora', '--role', 'reader');
  await animus('person', 'disable', 'dora');
  await animus('token', 'revoke', id);
  const decisions = await target.database.query(
    `select action, regexp_replace(note, ', until .*', '') as note from animus.decisions where target = 'person dora' and decided_by = session_user order by id`,
  );
  expect(decisions).toEqual([
    { action: 'grant', note: 'role operator' },
    { action: 'grant', note: `token ${id}: role operator, scopes read` },
    { action: 'grant', note: 'role reader' },
    { action: 'revoke', note: 'disabled' },
    { action: 'revoke', note: `token ${id}` },
  ]);
});

test('a login that may not see people is told so, not that there are none', async () => {
  await animus('token', 'create', 'alice', '--role', 'operator');
  const logins: string[] = [];
  const DATABASE_URL = await createLogin(target.connectionString, 'animus_gateway', logins);
  const all = [
    ['person', 'list'],
    ['person', 'disable', 'alice'],
    ['token', 'list'],
    ['token', 'revoke', '4f2a9c1d'],
  ];
  for (const argv of all) expect(await run(argv, { env: { DATABASE_URL } })).toMatchObject({ code: 5, stdout: '' });
  await dropLogins(logins);
});

test('a role must be given to set a person', async () => {
  const stderr = expect.stringContaining(
    "required option '--role <role>' not specified; see: animus person set --help",
  );
  expect(await animus('person', 'set', 'bob')).toMatchObject({ code: 2, stderr });
});
