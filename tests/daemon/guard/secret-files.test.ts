import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../../src/catalog/config/load-config.ts';
import { Secret } from '../../../src/core/secrets/secret.ts';
import { secretPlaces } from '../../../src/daemon/guard/secret-files.ts';

test('all places with secrets of animus or hooks are known, and so are ways out of the isolation', () => {
  const { config, env, at } = setUp();
  const { secrets, sockets } = secretPlaces(config, env);
  expect(secrets).toEqual([
    at('home/.animus'),
    at('home/client.key'),
    at('home/gateway'),
    '/not/ours/api_token',
    '/run/credentials/animus',
  ]);
  for (const path of ['/run/docker.sock', '/run/agent.sock', '/tmp/x/cookie']) expect(sockets).toContain(path);
  expect(sockets).toContain(`/run/user/${process.getuid?.()}`);
  expect(secretPlaces(config, { ...env, PGPASSFILE: '/etc/pgpass' }).secrets).toContain('/etc/pgpass');
});

test('a usual place that is missing at the start is hidden when it appears, and may go again: any command could make it', () => {
  const { config, env, at } = setUp();
  const usual = [at('home/.pgpass'), at('home/.postgresql/postgresql.key')];
  expect(secretPlaces(config, env).sockets).toEqual(expect.arrayContaining(usual));
  mkdirSync(at('home/.postgresql'));
  for (const path of usual) writeFileSync(path, 'x');
  expect(secretPlaces(config, env).secrets).toEqual(expect.arrayContaining(usual));
  expect(secretPlaces(config, env).sockets).not.toContain(usual[0]);
});

test('certificates of authorities stay readable wherever they are', () => {
  const { config } = setUp();
  const env = {
    SSL_CERT_FILE: '/run/secrets/ca.pem',
    NODE_EXTRA_CA_CERTS: '/etc/ca.pem',
    TLS_KEY_FILE: '/etc/tls.key',
  };
  expect(secretPlaces(config, env)).toMatchObject({
    readable: ['/run/secrets/ca.pem', '/etc/ca.pem'],
    secrets: expect.not.arrayContaining(['/run/secrets/ca.pem']),
  });
  expect(secretPlaces(config, env).secrets).toContain('/etc/tls.key');
});

test('a file that a variable passes to hooks is a secret; a directory that everything needs is not', () => {
  const { config } = setUp('[hooks]\nenvironment = ["REPORT_*"]\n');
  const env = { REPORT_LOGIN_FILE: '/etc/report', OTHER_LIST_FILE: '/etc/list', BAD_TOKEN: '/etc', WORSE_KEY: '/' };
  const { secrets } = secretPlaces(config, env);
  expect(secrets).toContain('/etc/report');
  for (const path of ['/etc/list', '/etc', '/']) expect(secrets).not.toContain(path);
});

test.each([
  'GITHUB_TOKEN_PATH',
  'SSH_KEY_PATH',
  'TLS_KEY_PEM',
  'GPG_KEYFILE',
  'KEYSTORE_PATH',
  'CREDS_FILE',
  'KRB5_CLIENT_KTNAME_KEYTAB',
  'CLIENT_CERT_PASSPHRASE_FILE',
  'DB_PASSWD_FILE',
  'JWT_FILE',
  'GH_PAT_FILE',
])('%s names the file of a secret', (name) => {
  const { config } = setUp();
  expect(secretPlaces(config, { [name]: '/srv/own/file' }).secrets).toContain('/srv/own/file');
  expect(secretPlaces(config, { [name]: '/srv/own/file' }).readable).toEqual([]);
});

test.each(['SSH_PUBLIC_KEY_FILE', 'KEYBOARD_MAP', 'PATTERN_FILE', 'COMPASS_DIR', 'AUTHOR_FILE'])(
  '%s does not',
  (name) => {
    const { config } = setUp();
    expect(secretPlaces(config, { [name]: '/srv/own/file' }).secrets).not.toContain('/srv/own/file');
  },
);

test.each([
  ['postgres:///work?host=/run/postgresql', '/run/postgresql'],
  ['postgres://ada@%2Fvar%2Flib%2Fpg/work', '/var/lib/pg'],
  ['socket:/srv/pg?db=work', '/srv/pg'],
  ['postgres://ada@/work?host=db,/srv/pg', '/srv/pg'],
  ['postgres:///work?host=/tmp', '/tmp/.s.PGSQL.5432'],
])('the socket of %s is a way around the isolation', (url, hidden) => {
  const { config, env } = setUp();
  const databaseUrl = new Secret(url);
  expect(secretPlaces({ ...config, databaseUrl }, env).sockets).toContain(hidden);
});

function setUp(more = '') {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'secret-files-')));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const at = (...names: string[]) => join(directory, ...names);
  const gateway = '[providers.g]\nkind = "openai"\nbase_url = "http://127.0.0.1:1/v1"\napi_key_env = "GATEWAY_KEY"\n';
  writeFileSync(at('animus.toml'), gateway + more);
  mkdirSync(at('home'));
  writeFileSync(at('home/gateway'), 'key\n', { mode: 0o600 });
  const env = {
    HOME: at('home'),
    ANIMUS_HOME: at('home/.animus'),
    DATABASE_URL: `postgres://ada@db/work?sslkey=${at('home/client.key')}`,
    GATEWAY_KEY_FILE: at('home/gateway'),
    SOME_API_TOKEN: '/not/ours/api_token',
    SSH_AUTH_SOCK: '/run/agent.sock',
    XAUTHORITY: '/tmp/x/cookie',
    CREDENTIALS_DIRECTORY: '/run/credentials/animus',
  };
  return { config: loadConfig({ env, cwd: directory }), env, at };
}

test('the logins of cloud command lines are hidden once a provider uses a command', () => {
  const { config, env, at } = setUp();
  expect(secretPlaces(config, env).sockets).not.toContain(at('home/.aws'));
  const used = setUp('[providers.cloud]\nkind = "openai"\ncredentials = { command = ["gcloud"] }\n');
  const { sockets } = secretPlaces(used.config, used.env);
  for (const place of ['.aws', '.azure', '.config/gcloud', '.kube'])
    expect(sockets).toContain(used.at(`home/${place}`));
});
