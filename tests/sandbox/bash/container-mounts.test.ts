import { expect, test } from 'vitest';
import type { FileRule } from '../../../src/process/file-rules.ts';
import { containerMounts, type HostFile } from '../../../src/sandbox/bash/container-mounts.ts';

const FILES: Readonly<Record<string, HostFile['kind']>> = {
  '/home/ada/app': 'directory',
  '/home/ada/app/.env': 'file',
  '/home/ada/app/faculties': 'directory',
  '/home/ada/app/deep': 'directory',
  '/home/ada/app/deep/er': 'directory',
  '/home/ada/app/deep/er/keys': 'directory',
  '/home/ada/app/deep/er/keys/public': 'directory',
  '/home/ada/repo/.git': 'directory',
  '/home/ada/repo/.git/hooks': 'directory',
};
const look = (path: string): HostFile | null =>
  FILES[path] === undefined ? null : { kind: FILES[path], identity: `1:${path.length}` };

function plan(roots: readonly string[], ...rules: readonly [FileRule['access'], string][]) {
  const planned = containerMounts(
    roots,
    rules.map(([access, path]) => ({ access, path })),
    look,
  );
  if (typeof planned === 'string') return planned;
  return {
    mounts: planned.mounts.map(({ source, target, readOnly }) => {
      const place = source === target ? target : `${source} at ${target}`;
      return readOnly ? `${place} (read-only)` : place;
    }),
    hidden: planned.tmpfs.map(({ path }) => path),
  };
}

test('mounts each root at its own path and nothing else', () => {
  expect(
    plan(['/home/ada/app', '/home/ada/repo/.git'], ['hidden', '/home/ada/.animus'], ['read', '/etc/animus']),
  ).toEqual({
    mounts: ['/home/ada/app', '/home/ada/repo/.git'],
    hidden: [],
  });
});

test('hides files and directories below a root, and keeps what must not be written', () => {
  const { mounts, hidden } = plan(
    ['/home/ada/app', '/home/ada/repo/.git'],
    ['hidden', '/home/ada/app/.env'],
    ['read', '/home/ada/app/faculties'],
    ['hidden', '/home/ada/app/deep/er/keys'],
    ['read', '/home/ada/repo/.git/hooks'],
  ) as { mounts: string[]; hidden: string[] };
  expect(hidden).toEqual(['/home/ada/app/deep/er/keys']);
  expect(mounts).toEqual([
    '/home/ada/app',
    '/home/ada/repo/.git',
    '/dev/null at /home/ada/app/.env (read-only)',
    '/home/ada/app/faculties (read-only)',
    // A mount point, so that nobody can move it away with what is hidden in it.
    '/home/ada/app/deep',
    '/home/ada/repo/.git/hooks (read-only)',
    '/home/ada/app/deep/er',
  ]);
});

test('shows again what a rule opens below a hidden directory', () => {
  expect(
    plan(['/home/ada/app'], ['hidden', '/home/ada/app/deep/er/keys'], ['all', '/home/ada/app/deep/er/keys/public']),
  ).toMatchObject({
    hidden: ['/home/ada/app/deep/er/keys'],
    mounts: expect.arrayContaining(['/home/ada/app/deep/er/keys/public']) as string[],
  });
});

test('a root that is read-only is mounted so', () => {
  expect(plan(['/home/ada/app'], ['read', '/home/ada'])).toMatchObject({ mounts: ['/home/ada/app (read-only)'] });
});

test('says why there can be no container', () => {
  expect(plan(['/'])).toContain('the root of the file system');
  expect(plan(['/home/ada/app'], ['hidden', '/home/ada'])).toContain('/home/ada/app is hidden from commands');
  expect(plan(['/home/ada/app'], ['hidden', '/home/ada/app/gone'])).toContain(
    '/home/ada/app/gone must be hidden but does not exist',
  );
  expect(plan(['/home/ada/app'], ['read', '/home/ada/app/gone'])).toMatchObject({ mounts: ['/home/ada/app'] });
});

test('refuses a link, which the engine would follow to anything of the host', () => {
  const linked = containerMounts(['/home/ada/app'], [{ path: '/home/ada/app/faculties', access: 'read' }], (path) => ({
    kind: path.endsWith('faculties') ? 'link' : 'directory',
    identity: path,
  }));
  expect(linked).toContain('/home/ada/app/faculties is a symbolic link');
});

test('two plans have the same key only if they mount the same files', () => {
  const rules: readonly FileRule[] = [{ path: '/home/ada/app/.env', access: 'hidden' }];
  const keyOf = (identity: string) => {
    const planned = containerMounts(['/home/ada/app'], rules, (path) => ({
      ...look(path)!,
      identity: path + identity,
    }));
    return typeof planned === 'string' ? planned : planned.key;
  };
  expect(keyOf('a')).toBe(keyOf('a'));
  expect(keyOf('a')).not.toBe(keyOf('b'));
});
