/** The mounts that file rules produce. */
import { expect, test } from 'vitest';
import type { FileRule } from '../../src/process/file-rules.ts';
import { accessTo, effectiveRules } from '../../src/process/file-rules.ts';
import { planMounts } from '../../src/process/mount-plan.ts';

const host = {
  kindOf: (path: string) => (path.endsWith('.key') ? 'file' : 'directory'),
  isMountPoint: () => false,
  flagsOf: () => [],
} as const;
const rule = (path: string, access: FileRule['access']): FileRule => ({ path, access });

test('the deepest rule decides, and of two rules for the same path the stricter one', () => {
  const rules = [
    rule('/home', 'hidden'),
    rule('/home/own', 'all'),
    rule('/home/own', 'read'),
    rule('/home/own/x', 'hidden'),
  ];
  expect(
    ['/', '/home', '/homes', '/home/a', '/home/own', '/home/own/a', '/home/own/x/y'].map((path) =>
      accessTo(rules, path),
    ),
  ).toEqual(['all', 'hidden', 'all', 'hidden', 'read', 'read', 'hidden']);
});

test('rules that have no effect are left out', () => {
  const rules = [
    rule('/a/b', 'hidden'),
    rule('/a', 'hidden'),
    rule('/c', 'all'),
    rule('/a/b/c', 'read'),
    rule('/a/b/c', 'all'),
  ];
  expect(effectiveRules(rules)).toEqual([rule('/a', 'hidden'), rule('/a/b/c', 'read')]);
});

test('every directory above a hidden or read-only path is pinned, and no other', () => {
  const { cover, expected, back } = planMounts([rule('/u/k/a.key', 'hidden'), rule('/u/f', 'read')], host);
  expect(cover.split('\n')).toEqual([
    '/u /u none rbind 0 0',
    '/u/k /u/k none rbind 0 0',
    '/u/f /u/f none rbind,ro 0 0',
    '/dev/null /u/k/a.key none rbind 0 0',
    '',
  ]);
  expect(expected).toEqual(['/u pinned', '/u/k pinned', '/u/f read', '/u/k/a.key hidden']);
  expect(back).toBe('');
});

test('accessible paths below a hidden directory are mounted back, and nothing can be created in the rest of it', () => {
  const plan = planMounts([rule('/h', 'hidden'), rule('/h/own one', 'all'), rule('/h/own one/a.key', 'hidden')], host);
  expect(plan).toMatchObject({
    stage: '/h/own\\040one /proc/fs/0 none rbind,X-mount.mkdir 0 0\n',
    cover: 'animus /h tmpfs mode=755,nosuid,nodev 0 0\n',
    back: '/proc/fs/0 /h/own\\040one none rbind,X-mount.mkdir 0 0\n/dev/null /h/own\\040one/a.key none rbind 0 0\n',
    seal: [{ from: '/h', to: '/h', options: 'rbind,ro' }],
  });
});

test('a path that is a mount point already is bound separately, because mount --all skips it', () => {
  const mounted = { ...host, isMountPoint: (path: string) => path === '/h/own' || path === '/f' };
  const plan = planMounts([rule('/h', 'hidden'), rule('/h/own', 'all'), rule('/f', 'read')], mounted);
  expect(plan.backSingly).toEqual([{ from: '/proc/fs/0', to: '/h/own', options: 'rbind,X-mount.mkdir' }]);
  expect(plan.back).toBe('');
  expect(plan.seal.map(({ to }) => to)).toEqual(['/h', '/f']);
});

test('read-only mounts keep the flags that a namespace must not remove', () => {
  const strict = { ...host, flagsOf: (path: string) => (path === '/t/f' ? ['nosuid', 'nodev'] : []) };
  expect(planMounts([rule('/t/f', 'read')], strict).cover).toContain('/t/f /t/f none rbind,ro,nosuid,nodev 0 0');
});
