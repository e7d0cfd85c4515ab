import { afterAll, expect, test } from 'vitest';
import { testDatabase } from '../../../support/database.ts';
import { createLogin, dropLogins } from '../../../support/role-login.ts';
import { examinedSite, FACULTY } from '../examined-site.ts';

const { doctor, write } = examinedSite();
const target = testDatabase();
const logins: string[] = [];
afterAll(() => dropLogins(logins));

test.each([
  ['animus_daemon', 'problem'],
  ['animus_gateway, animus_daemon', 'fine'],
])('while the API is on, the doctor says whether a login of %s can act for people: %s', async (roles, state) => {
  write({ 'faculties/clerk.toml': FACULTY.replace(/fallback.*\n/, ''), 'animus.toml': '[http]\napi = true\n' });
  const databaseUrl = await createLogin(target.connectionString, roles, logins);
  const { findings } = await doctor([], { databaseUrl });
  const found = findings.find(({ check }) => check === 'api');
  expect(found).toMatchObject({ detail: expect.stringContaining(logins.at(-1)!) });
  expect(found?.remedy ?? null).toEqual(
    state === 'problem' ? `run as a superuser: grant animus_gateway to "${logins.at(-1)}"` : null,
  );
  expect(found?.state === 'problem').toBe(state === 'problem');
});

test('while it is off, the doctor does not ask', async () => {
  write({ 'faculties/clerk.toml': FACULTY.replace(/fallback.*\n/, '') });
  const { findings } = await doctor([], { databaseUrl: target.connectionString });
  expect(findings.map(({ check }) => check)).not.toContain('api');
});
