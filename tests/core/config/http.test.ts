import { expect, test } from 'vitest';
import { readConfig } from '../../../src/core/config/read-config.ts';

function read(text: string, env: Record<string, string> = {}) {
  const readSecretFile = () => ({ ok: false as const, detail: 'unused' });
  return readConfig({ env, toml: { path: '/etc/animus.toml', text }, userHome: '/home/x', cwd: '/', readSecretFile })
    .http;
}

const at = (address: string, more = '') => `[daemon]\nhttp = "${address}"\n[http]\napi = true\n${more}`;

test('without settings there is no API', () => {
  expect(read('')).toEqual({
    api: false,
    behindTls: false,
    allowedHosts: [],
    allowedOrigins: [],
    maxConnections: 1000,
    requestsPerMinute: 1200,
    databaseUrl: null,
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
])('refuses %s', (line, expected) => {
  expect(() => read(`[http]\n${line}`)).toThrow(expected);
});
