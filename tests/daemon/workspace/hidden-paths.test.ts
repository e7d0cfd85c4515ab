import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../../src/catalog/load-config.ts';
import { hiddenPaths } from '../../../src/daemon/workspace/hidden-paths.ts';

test('every file that holds a secret of animus is known by its real path, and so are ways around the isolation', () => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'hidden-paths-')));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const at = (...names: string[]) => join(directory, ...names);
  mkdirSync(at('real/secrets'), { recursive: true });
  symlinkSync(at('real'), at('home'));
  // As Kubernetes mounts them: a link to a link.
  writeFileSync(at('real/secrets/v1'), 'key\n', { mode: 0o600 });
  symlinkSync('secrets/v1', at('real/gateway'));
  const gateway = '[providers.g]\nkind = "openai"\nbase_url = "http://127.0.0.1:1/v1"\napi_key_env = "GATEWAY_KEY"\n';
  writeFileSync(at('animus.toml'), gateway);
  const env = {
    HOME: at('home'),
    ANIMUS_HOME: at('home/.animus'),
    DATABASE_URL: `postgres://ada@db/work?sslkey=${at('home/client.key')}`,
    GATEWAY_KEY_FILE: at('home/gateway'),
    TOKEN_FILE: '/not/ours',
  };
  const config = loadConfig({ env, cwd: directory });
  expect(hiddenPaths(config, env)).toEqual([
    at('real/.animus/embedded.json'),
    at('real/.animus/db'),
    at('real/.pgpass'),
    at('real/client.key'),
    at('real/secrets/v1'),
    ...['/run/user/', '/tmp/tmux-'].map((session) => `${session}${process.getuid?.()}`),
    '/run/screen',
  ]);
  expect(hiddenPaths(config, { ...env, PGPASSFILE: '/etc/pgpass' })).toContain('/etc/pgpass');
});
