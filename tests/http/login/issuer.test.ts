/** Tokens of an OIDC issuer: who they stand for, and which are refused. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { OidcConfig } from '../../../src/core/config/sections/http.ts';
import { setPerson } from '../../../src/features/people/store.ts';
import { openIssuer } from '../../../src/http/login/issuer.ts';
import { openLogin } from '../../../src/http/login/login.ts';
import { asVisitor } from '../../../src/http/login/visitor.ts';
import { testDatabase } from '../../support/database.ts';
import { newKey, startIssuer, type TestIssuer } from '../../support/oidc-issuer.ts';

const target = testDatabase();
let issuer: TestIssuer;
beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer.stop());
beforeEach(async () => {
  await target.database.query('delete from animus.people');
});

const visitor = (token: string, config: OidcConfig = issuer.config()) =>
  openLogin({ database: target.database, issuer: openIssuer(config) }).visitor(`Bearer ${token}`);
const code = (promise: Promise<unknown>) =>
  promise.then(
    () => 'accepted',
    (error: { code?: string }) => error.code,
  );

test('a token stands for its person, until it expires', async () => {
  const exp = Math.floor(Date.now() / 1000) + 600;
  const found = await visitor(await issuer.sign({ exp }));
  expect(found).toMatchObject({
    actor: 'person:alice',
    role: 'submitter',
    scopes: ['read', 'work', 'decide'],
    tokenId: null,
  });
  expect([found.expiresAt, found.acceptedUntil]).toEqual([new Date(exp * 1000), new Date((exp + 30) * 1000)]);
  const actor = (now?: () => Date) => asVisitor(target.database, found, (tx) => tx.query('select animus.actor()'), now);
  expect(await actor()).toEqual([{ actor: 'person:alice' }]);
  expect(await actor(() => new Date((exp + 29) * 1000))).toEqual([{ actor: 'person:alice' }]);
  await expect(actor(() => new Date((exp + 31) * 1000))).rejects.toMatchObject({ code: 'http.unauthorized' });
});

test('the role is the lower one of the person and of the claims', async () => {
  const config = issuer.config({
    roleClaim: 'realm.groups',
    roles: new Map([
      ['ops', 'operator'],
      ['staff', 'reader'],
    ]),
  });
  const role = async (groups: unknown) => (await visitor(await issuer.sign({ realm: { groups } }), config)).role;
  await setPerson(target.database, '*', { role: 'operator' });
  expect(await role(['staff', 'ops', 'other'])).toBe('operator');
  expect(await role('staff')).toBe('reader');
  for (const groups of [
    ['other'],
    [],
    undefined,
    null,
    { ops: true },
    { toString: 'x' },
    ['constructor', '__proto__'],
  ]) {
    expect(await role(groups)).toBe('submitter');
  }
  await setPerson(target.database, 'alice', { role: 'reader' });
  expect(await role(['ops'])).toBe('reader');
  expect((await visitor(await issuer.sign())).role).toBe('reader');
  await setPerson(target.database, 'alice', { disabled: true });
  await expect(role(['ops'])).rejects.toThrow('alice is disabled');
});

test('scopes, prefix and claim of the name', async () => {
  const token = await issuer.sign({
    scope: 'openid animus:read animus:admin work',
    email: 'a@b.example',
    email_verified: true,
  });
  expect(await visitor(token, issuer.config({ scopePrefix: 'animus:', personPrefix: 'corp/' }))).toMatchObject({
    actor: 'person:corp/alice',
    scopes: ['read'],
  });
  expect((await visitor(token, issuer.config({ personClaim: 'email' }))).person).toBe('a@b.example');
  for (const email_verified of [false, undefined, 'true']) {
    const unverified = await issuer.sign({ email: 'a@b.example', email_verified });
    await expect(visitor(unverified, issuer.config({ personClaim: 'email' }))).rejects.toThrow(/has not verified/);
  }
});

test.each([undefined, '', 7, ['alice'], { toString: 'x' }, 'a b', 'a\nb', 'a\ud800', '*', 'x'.repeat(201)])(
  'the name %j is refused',
  async (sub) => {
    const token = await issuer.sign({ sub } as never);
    await expect(visitor(token)).rejects.toThrow('the token names no person in sub');
  },
);

const seconds = (offset: number) => Math.floor(Date.now() / 1000) + offset;
test.each<[string, () => Promise<string>]>([
  ['of another issuer', () => issuer.sign({ iss: 'https://other.example' })],
  ['for another audience', () => issuer.sign({ aud: 'billing' })],
  ['without an audience', () => issuer.sign({ aud: undefined } as never)],
  ['with an expiry that no clock reaches', () => issuer.sign({ exp: 8.64e12 })],
  ['without an expiry', () => issuer.sign({ exp: undefined } as never)],
  ['that has expired', () => issuer.sign({ exp: seconds(-60) })],
  ['that is not valid yet', () => issuer.sign({ nbf: seconds(60) })],
  ['signed by a stranger', async () => issuer.sign({}, {}, await newKey('ES256'))],
  [
    'signed by a stranger under the name of a key',
    async () => {
      const [, payload] = (await issuer.sign()).split('.');
      const { kid } = JSON.parse(Buffer.from((await issuer.sign()).split('.')[0]!, 'base64url').toString());
      return issuer.sign(JSON.parse(Buffer.from(payload!, 'base64url').toString()), {}, await newKey('ES256', kid));
    },
  ],
  [
    'with another algorithm than those allowed',
    async () => {
      const key = await issuer.rotate('EdDSA');
      return issuer.sign({}, {}, key);
    },
  ],
  [
    'without a signature',
    async () => {
      const [, payload] = (await issuer.sign()).split('.');
      return `${base64url({ alg: 'none' })}.${payload}.`;
    },
  ],
  [
    'signed with the public key as a secret',
    async () => hmacOf((await issuer.rotate('RS256')).jwk, await issuer.sign()),
  ],
  [
    'that brings its own key',
    async () => {
      const key = await newKey('ES256');
      const token = await issuer.sign({}, { jwk: key.jwk, jku: 'http://127.0.0.1:1/keys' } as never, key);
      return token;
    },
  ],
  [
    'with a changed payload',
    async () => {
      const [header, , signature] = (await issuer.sign()).split('.');
      return [
        header,
        base64url({ sub: 'olga', iss: issuer.url, aud: 'animus', exp: seconds(60), iat: 0 }),
        signature,
      ].join('.');
    },
  ],
  ['that was cut', async () => (await issuer.sign()).slice(0, -1)],
  ['that is not a token', async () => 'a.b.c'],
  ['with more parts', async () => `${await issuer.sign()}.x`],
  ['that is encrypted', async () => 'a.b.c.d.e'],
])('a token %s is refused', async (_, make) => {
  await issuer.rotate();
  const token = await make();
  const error = await visitor(token).catch((thrown: Error) => thrown);
  expect(error).toMatchObject({ code: 'http.unauthorized' });
  expect((error as Error).message).toMatch(/^the token (is not valid|has expired); use a valid token/);
  expect(JSON.stringify(error) + (error as Error).stack).not.toContain(token.slice(0, 40));
});

function base64url(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

async function hmacOf(jwk: object, token: string): Promise<string> {
  const { createHmac, createPublicKey } = await import('node:crypto');
  const pem = createPublicKey({ key: jwk as never, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
  const [header, payload] = [
    base64url({ ...JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString()), alg: 'HS256' }),
    token.split('.')[1],
  ];
  return `${header}.${payload}.${createHmac('sha256', pem).update(`${header}.${payload}`).digest('base64url')}`;
}

test('clocks may differ by the tolerance', async () => {
  await issuer.rotate();
  expect(await code(visitor(await issuer.sign({ exp: seconds(-20) })))).toBe('accepted');
  expect(await code(visitor(await issuer.sign({ nbf: seconds(20) })))).toBe('accepted');
  expect(
    await code(visitor(await issuer.sign({ exp: seconds(-20) }), issuer.config({ clockToleranceSeconds: 0 }))),
  ).toBe('http.unauthorized');
});

test('without an issuer, its tokens are not valid', async () => {
  const token = await issuer.sign();
  await expect(openLogin({ database: target.database }).visitor(`Bearer ${token}`)).rejects.toThrow(
    'the token is not valid',
  );
});
