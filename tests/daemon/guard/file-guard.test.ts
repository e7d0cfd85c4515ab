import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../../src/catalog/config/load-config.ts';
import { createFileGuard, type FocusPlace } from '../../../src/daemon/guard/file-guard.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';

test('there are no rules while a secret is gone from its place, and the log says which', () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'file-guard-')));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const name of ['home', 'faculties', 'focus']) mkdirSync(join(root, name));
  const secret = join(root, 'pgpass');
  writeFileSync(secret, 'x');
  const env = { HOME: root, ANIMUS_HOME: join(root, 'home'), PGPASSFILE: secret };
  const said: unknown[] = [];
  const guard = createFileGuard({
    config: loadConfig({ env, cwd: root }),
    env,
    cwd: root,
    facultiesDir: join(root, 'faculties'),
    faculties: () => [],
    log: { ...silentLog, error: (fields) => void said.push(fields) },
  });
  onTestFinished(() => guard.close());
  const place: FocusPlace = {
    directory: join(root, 'focus'),
    faculty: { file: '/nowhere/f.toml', files: [], workspace: null, repo: null } as unknown as FocusPlace['faculty'],
  };
  expect(guard.rulesFor(place)).toContainEqual({ path: secret, access: 'hidden' });
  rmSync(secret);
  expect(() => guard.rulesFor(place)).toThrow(expect.objectContaining({ code: 'files.displaced' }));
  expect(said).toEqual([expect.objectContaining({ path: secret })]);
});
