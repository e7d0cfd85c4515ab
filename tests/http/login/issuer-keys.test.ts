/** The keys of an issuer: kept, fetched again after a rotation, and never so often that strangers could flood the issuer. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { OidcConfig } from '../../../src/core/config/sections/http.ts';
import { openIssuer } from '../../../src/http/login/issuer.ts';
import { issuerKeys } from '../../../src/http/login/issuer-keys.ts';
import { openLogin } from '../../../src/http/login/login.ts';
import { testDatabase } from '../../support/database.ts';
import { newKey, startIssuer, type TestIssuer } from '../../support/oidc-issuer.ts';

const target = testDatabase();
let issuer: TestIssuer;
beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer.stop());
beforeEach(() => {
  issuer.trouble = null;
});

const login = (config: OidcConfig = issuer.config(), now?: () => number) =>
  openLogin({ database: target.database, issuer: openIssuer(config, now) });
const code = (promise: Promise<unknown>) =>
  promise.then(
    () => 'accepted',
    (error: { code?: string }) => error.code,
  );

test('keys are fetched once, and again after a rotation; a withdrawn key is refused, unknown keys do not flood the issuer', async () => {
  const old = await issuer.rotate();
  const before = issuer.fetches;
  const keys = issuerKeys({ issuer: issuer.url, jwksUrl: null, pauseMs: 0 });
  const door = openLogin({ database: target.database, issuer: openIssuer(issuer.config(), Date.now, keys) });
  const accepted = async (token: string) => code(door.visitor(`Bearer ${token}`));
  const first = await issuer.sign();
  expect(await Promise.all([accepted(first), accepted(first), accepted(first)])).toEqual(Array(3).fill('accepted'));
  expect(issuer.fetches).toBe(before + 1);
  await issuer.rotate();
  expect(await accepted(await issuer.sign())).toBe('accepted');
  expect(issuer.fetches).toBe(before + 2);
  expect(await accepted(await issuer.sign({}, {}, old))).toBe('http.unauthorized');

  const patient = login();
  await patient.visitor(`Bearer ${await issuer.sign()}`);
  const after = issuer.fetches;
  for (let n = 0; n < 5; n++) {
    const stranger = await issuer.sign({}, {}, await newKey());
    expect(await code(patient.visitor(`Bearer ${stranger}`))).toBe('http.unauthorized');
  }
  expect(issuer.fetches).toBe(after);
});

test('an issuer that does not answer is another error, is not asked all the time, and is asked again later', async () => {
  let now = Date.now();
  const door = login(issuer.config(), () => now);
  const token = await issuer.sign();
  for (const trouble of [
    { status: 500, body: 'no' },
    { status: 302, body: '' },
    { status: 404, body: JSON.stringify({ issuer: issuer.url, jwks_uri: `${issuer.url}/keys` }) },
    { status: 200, body: 'no JSON' },
    { status: 200, body: '{}' },
    { status: 200, body: JSON.stringify({ issuer: 'https://other.example', jwks_uri: 'https://other.example/keys' }) },
    { status: 200, body: JSON.stringify({ issuer: issuer.url, jwks_uri: 'x'.repeat(1_100_000) }) },
  ]) {
    issuer.trouble = trouble;
    const before = issuer.requests;
    for (let n = 0; n < 3; n++) expect(await code(door.visitor(`Bearer ${token}`))).toBe('http.issuer');
    expect(issuer.requests - before).toBe(1);
    now += 31_000;
  }
  const fixed = login(issuer.config({ jwksUrl: `${issuer.url}/keys` }), () => now);
  issuer.trouble = { status: 200, body: '{"keys": "none"}' };
  const before = issuer.requests;
  for (let n = 0; n < 3; n++) expect(await code(fixed.visitor(`Bearer ${token}`))).toBe('http.issuer');
  expect(issuer.requests - before).toBe(1);
  issuer.trouble = null;
  now += 31_000;
  expect(await code(fixed.visitor(`Bearer ${token}`))).toBe('accepted');
  expect(await code(door.visitor(`Bearer ${token}`))).toBe('accepted');
});

test('while the issuer is down, the keys that are known go on, whatever strangers send', async () => {
  await issuer.rotate();
  const keys = issuerKeys({ issuer: issuer.url, jwksUrl: null, pauseMs: 0 });
  const door = openLogin({ database: target.database, issuer: openIssuer(issuer.config(), Date.now, keys) });
  const good = await issuer.sign();
  expect(await code(door.visitor(`Bearer ${good}`))).toBe('accepted');
  issuer.trouble = { status: 500, body: '' };
  const stranger = await issuer.sign({}, {}, await newKey());
  expect(await code(door.visitor(`Bearer ${stranger}`))).toBe('http.issuer');
  expect(await code(door.visitor(`Bearer ${good}`))).toBe('accepted');
});
