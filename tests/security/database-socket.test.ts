import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../src/catalog/config/load-config.ts';
import { systemClock } from '../../src/core/lifecycle/clock.ts';
import { createFileGuard } from '../../src/daemon/guard/file-guard.ts';
import { silentLog } from '../../src/telemetry/silent-log.ts';
import { scratch, underRules } from './commands.ts';
import { hasNamespaces } from './scripted-focus.ts';

test.skipIf(!hasNamespaces)('no command can reach the database through its Unix socket', async () => {
  const root = scratch();
  for (const name of ['run', 'faculties', 'foci']) mkdirSync(join(root, name));
  const server = createServer((socket) => socket.end('welcome'));
  server.listen(join(root, 'run/.s.PGSQL.5432'));
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const env = {
    HOME: root,
    ANIMUS_HOME: join(root, 'home'),
    DATABASE_URL: `postgres://ada@${encodeURIComponent(`${root}/run`)}/work`,
  };
  const guard = createFileGuard({
    config: loadConfig({ env, cwd: root }),
    env,
    cwd: root,
    facultiesDir: join(root, 'faculties'),
    faculties: () => new Map(),
    clock: systemClock,
    log: silentLog,
  });
  onTestFinished(() => guard.close());
  const rules = guard.rulesOf({ directory: join(root, 'foci'), faculty: FACULTY })();
  const connect = `${process.execPath} -e "require('net').connect('run/.s.PGSQL.5432').on('data', (d) => console.log(String(d))).on('error', (e) => console.log(e.code))"; mv run x; ls -a x run`;

  const { stdout } = await underRules(root, rules)(connect);

  expect(stdout.text).toMatch(/^(ENOENT|EACCES|ECONNREFUSED)\n/);
  expect(stdout.text).not.toContain('.s.PGSQL');
  expect((await underRules(root, [])(connect.split('; mv')[0]!)).stdout.text).toBe('welcome\n');
});

const FACULTY = { file: '/nowhere/f.toml', files: [], workspace: null, repo: null } as unknown as Parameters<
  ReturnType<typeof createFileGuard>['rulesOf']
>[0]['faculty'];
