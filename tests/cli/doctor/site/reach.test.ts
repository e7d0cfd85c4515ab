/** What the doctor reports about the isolation of agents. */
import { linkSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../../../src/catalog/config/load-config.ts';
import type { Faculty } from '../../../../src/catalog/faculty/faculty.ts';
import { examineReach } from '../../../../src/cli/doctor/site/reach.ts';
import type { Isolation } from '../../../../src/process/process-host.ts';
import { scratch } from '../../../security/commands.ts';
import { databaseUrl } from '../../../support/database.ts';

test('reports a key with a second name, a workspace that is the home, and what is missing in a workspace', async () => {
  const site = setUp('namespace');
  writeFileSync(join(site.root, 'key'), 'geheim', { mode: 0o600 });
  linkSync(join(site.root, 'key'), join(site.root, 'other'));
  const found = await site.examine({ OPENAI_API_KEY_FILE: join(site.root, 'key') });
  expect(found).toContainEqual(
    expect.objectContaining({ state: 'problem', detail: expect.stringContaining('2 names') }),
  );
  expect(found).toContainEqual(expect.objectContaining({ check: 'workspace', state: 'problem' }));
  for (const name of ['animus.toml', 'skills'])
    expect(found).toContainEqual(
      expect.objectContaining({ state: 'note', detail: expect.stringContaining(`can create ${site.root}/${name},`) }),
    );
});

test('a faculty that runs no commands creates nothing', async () => {
  const found = await setUp('namespace', []).examine({});
  expect(found.filter(({ detail }) => detail.includes('can create'))).toEqual([]);
});

test('without isolation it reports that nothing is hidden from commands', async () => {
  const found = await setUp('none').examine({});
  expect(found).toContainEqual(
    expect.objectContaining({
      check: 'hidden from agents',
      state: 'note',
      detail: expect.stringContaining('nothing keeps commands out'),
    }),
  );
  expect(found).toContainEqual(
    expect.objectContaining({
      check: 'read-only for agents',
      state: 'note',
      detail: expect.stringContaining('can write'),
    }),
  );
});

test('a server that asks for a password passes, and a socket that does not answer is still hidden', async () => {
  const site = setUp('namespace');
  expect(await site.examine({ DATABASE_URL: databaseUrl('postgres') })).toContainEqual(
    expect.objectContaining({ check: 'database login', state: 'ok', detail: 'by password' }),
  );
  const socket = `postgres://ada@${encodeURIComponent(`${site.root}/run`)}/work`;
  expect(await site.examine({ DATABASE_URL: socket })).toContainEqual(
    expect.objectContaining({
      state: 'ok',
      detail: expect.stringContaining(`${site.root}/run is hidden from commands`),
    }),
  );
});

const NO_HOOKS = { orient: null, consolidate: null, recover: { hook: null } };

function setUp(bashIsolation: Isolation, tools = ['bash']) {
  const root = scratch();
  for (const name of ['home/.animus', 'run']) mkdirSync(join(root, name), { recursive: true });
  const faculty = (name: string, workspace: string) =>
    [
      name,
      { ...NO_HOOKS, name, workspace, engage: { bashIsolation, mode: 'builtin', tools } } as unknown as Faculty,
    ] as const;
  const faculties = new Map([faculty('ada', join(root, 'home/.animus')), faculty('bob', root)]);
  const examine = (more: Readonly<Record<string, string>>) => {
    const env = { HOME: join(root, 'home'), ...more };
    return examineReach({
      config: loadConfig({ env, cwd: root }),
      env,
      cwd: root,
      facultiesDir: join(root, 'f'),
      skillsDirs: [join(root, 'home/.animus/skills')],
      faculties,
    });
  };
  return { root, examine };
}
