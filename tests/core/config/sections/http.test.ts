import { expect, test } from 'vitest';
import { readConfig } from '../../../../src/core/config/read-config.ts';

function read(text: string, env: Record<string, string> = {}) {
  const readSecretFile = () => ({ ok: false as const, detail: 'unused' });
  return readConfig({ env, toml: { path: '/etc/animus.toml', text }, userHome: '/home/x', cwd: '/', readSecretFile })
    .http;
}

const at = (address: string, more = '') => `[daemon]\nhttp = "${address}"\n[http]\napi = true\n${more}`;

test('without settings there is no API', () => {
  expect(read('')).toEqual({
    api: false,
    console: true,
    behindTls: false,
    allowedHosts: [],
    allowedOrigins: [],
    trustedProxies: [],
    maxConnections: 1000,
    requestsPerMinute: 1200,
    databaseUrl: null,
    databaseUrlEnv: null,
    oidc: null,
  });
});

test.each(['127.0.0.1:1', '127.9.9.9:1', '[::1]:1', 'localhost:1'])('the API listens at %s', (address) => {
  expect(read(at(address)).api).toBe(true);
});

test.each(['0.0.0.0:1', '[::]:1', '10.0.0.1:1', 'box.example.com:1'])('at %s it needs TLS in front', (address) => {
  expect(() => read(at(address))).toThrow(
    `http.api: at ${address} the API would send tokens over the network without encryption`,
  );
  expect(read(at(address, 'behind_tls = true')).api).toBe(true);
  expect(read(`[daemon]\nhttp = "${address}"`).api).toBe(false);
});

test('it needs an address, and the login that is named', () => {
  expect(() => read(at('off'))).toThrow('http.api: daemon.http is "off"');
  expect(() => read('[http]\napi = true\ndatabase_url_env = "GATEWAY_URL"')).toThrow('GATEWAY_URL is not set');
  const env = { GATEWAY_URL: 'postgres://gate:secret@db/work' };
  const { databaseUrl } = read('[http]\napi = true\ndatabase_url_env = "GATEWAY_URL"', env);
  expect([databaseUrl?.reveal(), String(databaseUrl)]).toEqual([env.GATEWAY_URL, '***']);
});

test.each([
  ['allowed_hosts = ["a b"]', 'the name of a host'],
  ['allowed_origins = ["console.example.com"]', 'an origin such as'],
  ['allowed_origins = ["https://a.example/path"]', 'an origin such as'],
  ['allowed_origins = ["*"]', 'an origin such as'],
  ['trusted_proxies = ["proxy.example.com"]', 'an address such as "10.0.0.1", or a network such as "10.0.0.0/8"'],
  ['trusted_proxies = ["10.0.0.0/33"]', 'an address such as'],
  ['trusted_proxies = "10.0.0.1"', 'a list of addresses and networks'],
])('refuses %s', (line, expected) => {
  expect(() => read(`[http]\n${line}`)).toThrow(expected);
});

const OIDC = 'issuer = "https://id.example.com"\naudience = ["animus"]';
const readOidc = (more: string, given = OIDC) => read(`[http.oidc]\n${given}\n${more}`).oidc;

test('an issuer, with its defaults', () => {
  expect(readOidc('')).toEqual({
    issuer: 'https://id.example.com',
    audience: ['animus'],
    jwksUrl: null,
    algorithms: ['RS256', 'ES256'],
    clockToleranceSeconds: 30,
    personClaim: 'sub',
    personPrefix: '',
    roleClaim: null,
    roles: new Map(),
    scopePrefix: null,
    allowHttp: false,
  });
  const roles = readOidc('role_claim = "realm_access.roles"\nroles = { "animus-admins" = "operator" }')!.roles;
  expect(roles).toEqual(new Map([['animus-admins', 'operator']]));
});

test.each([
  ['', '', 'issuer'],
  ['', 'issuer = "https://id.example.com"', 'audience'],
  [
    '',
    'issuer = "https://id.example.com"\naudience = []',
    'without an audience, tokens for other services would be accepted',
  ],
  ['', 'issuer = "http://id.example.com"\naudience = ["a"]', 'could replace its keys; use https'],
  ['jwks_url = "http://id.example.com/keys"', OIDC, 'could replace its keys; use https'],
  ['algorithms = ["HS256"]', OIDC, 'one of RS256'],
  ['algorithms = ["none"]', OIDC, 'one of RS256'],
  ['algorithms = []', OIDC, 'name at least one algorithm'],
  ['roles = { admins = "operator" }', OIDC, 'roles has no effect without role_claim'],
  ['role_claim = "r"\nroles = { admins = "root" }', OIDC, 'operator'],
  ['clock_tolerance_seconds = 3600', OIDC, 'seconds from 0 to 300'],
])('refuses an issuer with %j, %j', (more, given, expected) => {
  expect(() => readOidc(more, given)).toThrow(expected);
});

test('an issuer without TLS: on this host, or if it is allowed', () => {
  const at = (url: string) => `issuer = "${url}"\naudience = ["a"]`;
  for (const url of ['http://127.0.0.1:8080', 'http://localhost/realm', 'http://[::1]:1']) {
    expect(readOidc('', at(url))!.issuer).toBe(url);
  }
  expect(readOidc('allow_http = true', at('http://id.internal'))!.issuer).toBe('http://id.internal');
});
