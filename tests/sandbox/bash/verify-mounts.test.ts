import { expect, test } from 'vitest';
import type { MountPlan } from '../../../src/sandbox/bash/container-mounts.ts';
import { mountProblem } from '../../../src/sandbox/bash/verify-mounts.ts';

const bind = (path: string, readOnly = false) => ({ source: path, target: path, readOnly });
const PLAN: MountPlan = {
  roots: ['/w s/app', '/repo/.git'],
  mounts: [
    bind('/w s/app'),
    bind('/repo/.git'),
    bind('/w s/app/deep'),
    bind('/repo/.git/hooks', true),
    { source: '/dev/null', target: '/w s/app/.env', readOnly: true },
  ],
  tmpfs: [{ path: '/w s/app/deep/keys', bytes: 4096 }],
  key: '',
};
/** The workspace is on a file system of its own, mounted at `/w s` on the host. */
const MOUNTED = [
  '600 500 0:50 / / ro,relatime master:1 - overlay overlay rw',
  '601 600 8:2 /app /w\\040s/app rw,relatime - ext4 /dev/sdb rw',
  '602 601 8:2 /app/deep /w\\040s/app/deep rw,relatime - ext4 /dev/sdb rw',
  '603 602 0:51 / /w\\040s/app/deep/keys rw,nosuid,nodev - tmpfs tmpfs rw,size=4k',
  '604 601 0:6 /null /w\\040s/app/.env ro,nosuid - devtmpfs udev rw',
  '605 600 8:1 /repo/.git /repo/.git rw,relatime - ext4 /dev/sda rw',
  '606 605 8:1 /repo/.git/hooks /repo/.git/hooks ro,relatime shared:7 - ext4 /dev/sda rw',
];

test('accepts what was planned', () => {
  expect(mountProblem(PLAN, MOUNTED)).toBeNull();
});

test.each([
  ['a directory was replaced by a link to another', '/repo/.git/hooks /repo', '/etc /repo', '/repo/.git/hooks'],
  ['a directory above was replaced', '/app/deep /w', '/home/root /w', '/w s/app/deep'],
  ['a hidden directory is not covered', '/w\\040s/app/deep/keys rw', '/elsewhere rw', '/w s/app/deep/keys'],
  ['something else covers it', '- tmpfs tmpfs rw,size=4k', '- ext4 /dev/sda rw', '/w s/app/deep/keys'],
  ['a hidden file is not covered', '/w\\040s/app/.env ro', '/elsewhere ro', '/w s/app/.env'],
  ['another file covers it', '/null /w', '/etc/shadow /w', '/w s/app/.env'],
  ['a read-only path can be written', 'hooks ro,', 'hooks rw,', '/repo/.git/hooks'],
])('refuses a container in which %s', (_what, from, to, path) => {
  const changed = MOUNTED.map((line) => line.replace(from, to));
  expect(changed).not.toEqual(MOUNTED);
  expect(mountProblem(PLAN, changed)).toContain(`${path} is not in the container as it should be`);
});

test('refuses one whose mounts are unknown', () => {
  expect(mountProblem(PLAN, [])).not.toBeNull();
});
