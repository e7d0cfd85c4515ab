import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../../src/catalog/config/load-config.ts';
import type { Faculty } from '../../../src/catalog/faculty/faculty.ts';
import { createFileGuard } from '../../../src/daemon/guard/file-guard.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';
import { heldClock } from '../../support/held-clock.ts';
import { countSystemCalls } from '../../support/system-calls.ts';

test('there are no rules while a secret is gone from its place, and the log says which', () => {
  const { root, rules, said } = guarded([]);
  const secret = join(root, 'pgpass');
  expect(rules()).toContainEqual({ path: secret, access: 'hidden' });
  rmSync(secret);
  expect(() => rules()).toThrow(expect.objectContaining({ code: 'files.displaced' }));
  expect(said).toEqual([expect.objectContaining({ path: secret })]);
});

test('the rules cost as many system calls with 300 faculties as with one, and are the same array while nothing changes', () => {
  const counts = countSystemCalls();
  const [one, many] = [1, 300].map((size) => {
    const names = Array.from({ length: size }, (_, index) => `f${index}`);
    const { rules } = guarded(names);
    const first = rules();
    counts.clear();
    expect(rules()).toBe(first);
    return [...counts].toSorted();
  });
  expect(many).toEqual(one);
  expect(one!.length).toBeGreaterThan(0);
});

test('a script is protected where a changed link leads, a second later at the latest, and at once when the faculties are loaded again', async () => {
  const { root, rules, clock, reload } = guarded(['clerk']);
  const protects = (path: string) => rules().some((rule) => rule.access === 'read' && rule.path === join(root, path));
  expect([protects('clerk/old'), protects('clerk/new')]).toEqual([true, false]);
  const lead = (to: string) => {
    symlinkSync(to, join(root, 'clerk/next'));
    renameSync(join(root, 'clerk/next'), join(root, 'clerk/current'));
  };

  lead('new');
  await clock.pass(1000);
  expect([protects('clerk/old'), protects('clerk/new')]).toEqual([false, true]);
  lead('old');
  reload();
  expect([protects('clerk/old'), protects('clerk/new')]).toEqual([true, false]);
});

/** The rules of a focus of a host with these faculties. Each has a script behind the link `current`. */
function guarded(names: readonly string[]) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'file-guard-')));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const name of ['home', 'faculties', 'focus']) mkdirSync(join(root, name));
  const secret = join(root, 'pgpass');
  writeFileSync(secret, 'x');
  const env = { HOME: root, ANIMUS_HOME: join(root, 'home'), PGPASSFILE: secret };
  const said: unknown[] = [];
  const clock = heldClock();
  const loaded = names.map((name): [string, Faculty] => [name, facultyAt(root, name)]);
  let faculties = new Map(loaded);
  const guard = createFileGuard({
    config: loadConfig({ env, cwd: root }),
    env,
    cwd: root,
    facultiesDir: join(root, 'faculties'),
    faculties: () => faculties,
    clock,
    log: { ...silentLog, error: (fields) => void said.push(fields) },
  });
  onTestFinished(() => guard.close());
  const faculty =
    loaded[0]?.[1] ?? ({ file: '/nowhere/f.toml', files: [], workspace: null, repo: null } as unknown as Faculty);
  const rules = guard.rulesOf({ directory: join(root, 'focus'), faculty });
  return { root, rules, said, clock, reload: () => (faculties = new Map(loaded)) };
}

function facultyAt(root: string, name: string): Faculty {
  for (const version of ['old', 'new']) {
    mkdirSync(join(root, name, version), { recursive: true });
    writeFileSync(join(root, name, version, 'hook.sh'), '');
  }
  symlinkSync('old', join(root, name, 'current'));
  const file = join(root, 'faculties', `${name}.toml`);
  writeFileSync(file, '');
  const files = [join(root, name, 'current', 'hook.sh')];
  return { name, file, files, workspace: null, repo: null } as unknown as Faculty;
}
